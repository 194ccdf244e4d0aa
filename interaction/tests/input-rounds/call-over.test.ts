import { inputRequired, McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const ask = (message: string) =>
  ({
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema: { type: "object", properties: {} } },
  }) as const;

/** A server whose tool asks two questions in one round. */
function askingServer(): McpServer {
  const server = new McpServer({ name: "asking", version: "1.0.0" });
  server.tool("ask", (_args, { inputResponses }) =>
    inputResponses ? "answered" : inputRequired({ inputRequests: { one: ask("one"), two: ask("two") } }),
  );
  return server;
}

verifies(
  "mrtr:answers:call-over",
  "a form that stays open hears that its call was aborted, that the client was closed, or that the other form failed",
  async ({ connect }) => {
    const refused = new Error("the user said no");
    for (const end of ["abort", "close", "sibling"]) {
      const shown = deferred<AbortSignal>();
      let fail = (_error: Error) => {};
      const failing = new Promise<never>((_resolve, reject) => {
        fail = reject;
      });
      const client = await connect(askingServer(), {
        elicit: ({ message }, { signal }) => {
          if (message === "two") return failing;
          shown.resolve(signal);
          return new Promise(() => undefined);
        },
      });
      const controller = new AbortController();
      const calling = client.callTool("ask", {}, end === "abort" ? { signal: controller.signal } : {});
      const outcome = calling.then(
        () => "answered",
        (error: unknown) => error,
      );
      const signal = await shown.promise;
      expect(signal.aborted).toBe(false);

      if (end === "abort") controller.abort("enough");
      else if (end === "close") await client.close();
      else fail(refused);

      const error = await outcome;
      if (end === "sibling") expect(error).toBe(refused);
      else expect(error).toMatchObject({ code: end === "abort" ? "request-aborted" : "connection-closed" });
      expect(signal.aborted).toBe(true);
      if (end === "abort") expect(signal.reason).toBe("enough");
      else expect(signal.reason).toBe(error);
    }
  },
);
