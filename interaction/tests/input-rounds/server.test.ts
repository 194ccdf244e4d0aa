import { inputRequired, McpServer, type ServerContext } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

const NAME = z.object({ name: z.string() });
const FORM = { type: "object", properties: { name: { type: "string" } } } as const;
const formRequest = (message: string) =>
  ({ method: "elicitation/create", params: { mode: "form", message, requestedSchema: FORM } }) as const;
const accept = () => ({ action: "accept", content: { name: "Ada" } }) as const;

const askName = async (_params: unknown, context: ServerContext) => {
  const { content } = await context.elicit({ message: "Name?", schema: FORM });
  return `${JSON.stringify(content)}`;
};

verifies(
  "mrtr:input-required:shape",
  "an input_required result has the question by its key and a state, and no member of a finished call",
  async ({ connect }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      await context.elicit({ message: "Name?", schema: FORM }, { key: "who" });
      return "asked";
    });
    const client = await connect(server, { elicit: accept });

    const result = await client.request("tools/call", { name: "ask" });

    expect(result).toEqual({
      resultType: "input_required",
      inputRequests: { who: formRequest("Name?") },
      requestState: expect.any(String),
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "curious", version: "1.0.0" } },
    });
  },
);

verifies(
  "mrtr:tools-call:write-once-roundtrip",
  "two calls and two answers cross, the second with the answer and the state of the first",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("greet", { input: z.object({ greeting: z.string() }) }, async ({ greeting }, context) => {
      const { content } = await context.elicit({ message: "Name?", schema: NAME }, { key: "who" });
      return `${greeting} ${content?.name}`;
    });
    const client = await connect(server, { elicit: accept });

    const { content } = await client.callTool("greet", { greeting: "Hello" });

    expect(content).toEqual([{ type: "text", text: "Hello Ada" }]);
    const calls = wire.from("client").flatMap((sent) => ("id" in sent && "method" in sent ? [sent] : []));
    const [first, second, ...more] = calls.filter(({ method }) => method === "tools/call");
    const answers = wire.from("server").flatMap((sent) => ("result" in sent ? [sent] : []));
    const { requestState } = answers.find(({ id }) => id === first?.id)?.result ?? {};
    expect(more).toEqual([]);
    expect(requestState).toEqual(expect.any(String));
    expect(second?.params).toEqual({ ...first?.params, inputResponses: { who: accept() }, requestState });
    expect(wire.methods("server")).toEqual([]);
  },
);

verifies(
  "mrtr:input-required:never-empty",
  "a raw form without requests and state goes out with a state that the next call can bring back",
  async ({ connect }) => {
    let runs = 0;
    const server = new McpServer({ name: "polled", version: "1.0.0" });
    server.tool("poll", {}, () => (++runs < 3 ? inputRequired({}) : "done"));
    const client = await connect(server);

    const result = await client.request("tools/call", { name: "poll" });

    expect(result).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
    expect(await client.callTool("poll")).toMatchObject({ content: [{ text: "done" }] });
  },
);

verifies(
  "mrtr:input-required:again",
  "a handler asks the user again until the name is long enough",
  async ({ connect }) => {
    const names = ["A", "Ad", "Ada"];
    const asked: string[] = [];
    const server = new McpServer({ name: "picky", version: "1.0.0" });
    server.tool("name", {}, async (_args, context) => {
      let message = "Name?";
      for (;;) {
        const { content } = await context.elicit({ message, schema: NAME });
        if (content && content.name.length > 2) return content.name;
        message = `${content?.name} is too short`;
      }
    });
    const client = await connect(server, {
      elicit: ({ message }) => {
        asked.push(message);
        return { action: "accept", content: { name: names.shift() ?? "" } };
      },
    });

    expect(await client.callTool("name")).toMatchObject({ content: [{ text: "Ada" }] });
    expect(asked).toEqual(["Name?", "A is too short", "Ad is too short"]);
  },
);

verifies(
  "mrtr:input-required:not-cacheable",
  "a resource has cache hints with its contents, and none with its question",
  async ({ connect, wire }) => {
    const cache = { ttlMs: 60_000, cacheScope: "public" } as const;
    const server = new McpServer({ name: "curious", version: "1.0.0", cache });
    server.resource("ask://it", { name: "it", cache }, askName);
    const client = await connect(server, { elicit: accept });

    expect(await client.readResource("ask://it")).toMatchObject(cache);

    const [interim] = wire
      .from("server")
      .flatMap((sent) => ("result" in sent ? [sent.result] : []))
      .slice(1);
    expect(interim).toMatchObject({ resultType: "input_required" });
    expect(interim).not.toHaveProperty("ttlMs");
    expect(interim).not.toHaveProperty("cacheScope");
  },
);

verifies(
  "mrtr:middleware",
  "middleware of each side sees two calls for one question, the first of which ends as input_required",
  async ({ connect }) => {
    const seen: unknown[] = [];
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, askName);
    server.use(async ({ method, params }, next) => {
      const result = (await next()) as JsonObject;
      if (method === "tools/call") seen.push(["server", "inputResponses" in params, result.resultType]);
      return result;
    });
    const client = await connect(server, { elicit: accept });
    client.use(async ({ params }, next) => {
      const result = (await next()) as JsonObject;
      seen.push(["client", "inputResponses" in params, result.resultType]);
      return result;
    });

    await client.callTool("ask");

    expect(seen).toEqual([
      ["server", false, "input_required"],
      ["client", false, "input_required"],
      ["server", true, undefined],
      ["client", true, "complete"],
    ]);
  },
);

verifies(
  "mrtr:manual",
  "client.request hands out the question, the caller answers by itself, and no handler is asked",
  async ({ connect }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, askName);
    const elicit = () => {
      throw new Error("must not run");
    };
    const client = await connect(server, { elicit });
    const call = { name: "ask", arguments: {} };

    const { inputRequests, requestState } = await client.request("tools/call", call);
    const [key = ""] = Object.keys(inputRequests as JsonObject);
    const result = await client.request("tools/call", { ...call, inputResponses: { [key]: accept() }, requestState });

    expect(result).toMatchObject({ resultType: "complete", content: [{ text: '{"name":"Ada"}' }] });
  },
);
