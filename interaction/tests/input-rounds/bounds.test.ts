import { inputRequired, McpServer } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect, vi } from "vitest";
import { verifies } from "../../src/verifies.js";

const form = {
  method: "elicitation/create" as const,
  params: { mode: "form" as const, message: "?", requestedSchema: { type: "object" as const, properties: {} } },
};

/** So many questions by key. */
function questions(count: number): Record<string, typeof form> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`q${index}`, form]));
}

verifies(
  "mrtr:client:requests-cap",
  "64 questions are answered, 65 and 6,000 are not, and an option says otherwise",
  async ({ openServer }) => {
    const elicit = vi.fn(() => ({ action: "decline" as const }));
    for (const [count, options, isAnswered] of [
      [64, {}, true],
      [65, {}, false],
      [6_000, {}, false],
      [2, { maxInputRequests: 1 }, false],
      [65, { maxInputRequests: 65 }, true],
    ] as const) {
      elicit.mockClear();
      const { peer, client } = await openServer(undefined, { elicit, ...options });
      const calling = client.callTool("ask").catch((error: unknown) => error);
      const asked = { resultType: "input_required", inputRequests: questions(count) } as unknown as JsonObject;
      await peer.respond(await peer.receive(), asked);
      if (isAnswered) await peer.respond(await peer.receive(), { resultType: "complete", content: [] });

      const expected = isAnswered ? { content: [] } : { code: "too-large" };
      expect(await calling).toMatchObject(expected);
      expect(elicit).toHaveBeenCalledTimes(isAnswered ? count : 0);
    }
  },
);

verifies(
  "asking:questions-cap",
  "64 questions at once are asked, 65 are a failure of the handler, and an option says otherwise",
  async ({ connect }) => {
    for (const [count, options, isAnswered] of [
      [64, {}, true],
      [65, {}, false],
      [3, { maxInputRequests: 2 }, false],
    ] as const) {
      const reported: Error[] = [];
      const onError = (error: Error) => void reported.push(error);
      const server = new McpServer({ name: "curious", version: "1.0.0", onError, ...options });
      server.tool("ask", {}, async (_args, context) => {
        const asked = Array.from({ length: count }, () => context.elicit({ message: "?", schema: { type: "object" } }));
        return `${(await Promise.all(asked)).length} answers`;
      });
      const client = await connect(server, { elicit: () => ({ action: "decline" }), onError: () => {} });

      const outcome = await client.callTool("ask").catch((error: unknown) => error);

      if (isAnswered) expect(outcome).toMatchObject({ content: [{ text: `${count} answers` }] });
      else expect(outcome).toMatchObject({ isError: true });
      // Answers to the questions of a handler that has failed are reported as unexpected.
      const causes = reported.flatMap(({ cause }) => cause ?? []);
      expect(causes).toMatchObject(isAnswered ? [] : [{ code: "too-large" }]);
    }
  },
);

verifies(
  "asking:raw-form:questions-cap",
  "a raw form of 65 questions is a failure of the handler, and no handler of the client runs",
  async ({ connect }) => {
    const reported: Error[] = [];
    const onError = (error: Error) => void reported.push(error);
    const server = new McpServer({ name: "curious", version: "1.0.0", onError });
    server.tool("ask", {}, (_args, { inputResponses }) =>
      inputResponses ? "answered" : inputRequired({ inputRequests: questions(65) }),
    );
    const elicit = vi.fn(() => ({ action: "decline" as const }));
    const client = await connect(server, { elicit });

    expect(await client.callTool("ask")).toMatchObject({ isError: true });
    expect(reported).toMatchObject([{ cause: { code: "too-large" } }]);
    expect(elicit).not.toHaveBeenCalled();
  },
);

verifies(
  "asking:raw-form:valid-url",
  "a raw form with a broken URL is a failure of the handler and reaches no client; one with a valid URL does",
  async ({ connect }) => {
    const reported: Error[] = [];
    const onError = (error: Error) => void reported.push(error);
    const server = new McpServer({ name: "curious", version: "1.0.0", onError });
    server.tool("ask", { input: { type: "object" } }, ({ url }, { inputResponses }) => {
      const params = { mode: "url" as const, message: "Here", url: String(url), elicitationId: "1" };
      if (inputResponses) return "answered";
      return inputRequired({ inputRequests: { page: { method: "elicitation/create", params } } });
    });
    const elicitUrl = vi.fn(() => ({ action: "accept" as const }));
    const client = await connect(server, { elicitUrl });

    expect(await client.callTool("ask", { url: "not a url" })).toMatchObject({ isError: true });
    const message = expect.stringMatching(/^inputRequests\.page: .*not a url.*expected a valid URL/);
    expect(reported).toMatchObject([{ cause: { code: "invalid-argument", message } }]);
    expect(elicitUrl).not.toHaveBeenCalled();

    expect(await client.callTool("ask", { url: "https://example.com" })).toMatchObject({
      content: [{ text: "answered" }],
    });
    expect(elicitUrl).toHaveBeenCalledOnce();
  },
);
