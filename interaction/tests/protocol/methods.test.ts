import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

verifies(
  "protocol:custom-method:roundtrip",
  "params and result cross as they are, and where servers may ask, so do theirs",
  async ({ connect, era }) => {
    const data = { list: [1, null, { "": "" }], text: "ünï\u2028", big: Number.MAX_SAFE_INTEGER, no: false };
    const received: unknown[] = [];
    const server = new McpServer({ name: "custom", version: "1.0.0" });
    server.handle("acme/echo", ({ _meta, ...own }) => {
      received.push(own);
      return { data: own.data };
    });
    server.handle("acme/ask-back", async ({ data }, context) => {
      const answer = await context.request("acme/client-echo", { data }).catch(({ code }) => ({ code }));
      return { answer };
    });
    const client = await connect(server);
    client.handle("acme/client-echo", (params) => {
      received.push(params);
      return { data: params.data };
    });

    const echoed = await client.request("acme/echo", { data });
    const asked = await client.request("acme/ask-back", { data });

    expect(echoed.data).toEqual(data);
    expect(asked.answer).toEqual(era === "legacy" ? { data } : { code: "method-not-in-revision" });
    expect(received).toEqual(era === "legacy" ? [{ data }, { data }] : [{ data }]);
  },
);

verifies(
  "protocol:custom-method:params-validation",
  "params that fail the schema are -32602 and name the path; others reach the handler as the schema yields them",
  async ({ connect }) => {
    const served: unknown[] = [];
    const server = new McpServer({ name: "custom", version: "1.0.0" });
    const params = z.object({ count: z.number().int(), unit: z.string().default("pieces") });
    server.handle("acme/order", { params }, (order) => {
      served.push(order);
      return {};
    });
    const client = await connect(server);

    await expect(client.request("acme/order", { count: "many" })).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32602,
      message: expect.stringMatching(/acme\/order.*count/),
    });
    await expect(client.request("acme/order")).rejects.toMatchObject({ code: -32602 });
    expect(served).toEqual([]);

    await client.request("acme/order", { count: 2 });
    expect(served).toEqual([{ count: 2, unit: "pieces" }]);
  },
);

verifies(
  "protocol:custom-method:notification",
  "notifications of a handler reach the client's handler, in order and before the result",
  async ({ connect }) => {
    const events: unknown[] = [];
    const server = new McpServer({ name: "custom", version: "1.0.0" });
    server.tool("work", {}, async (_args, context) => {
      await context.notify("acme/step", { step: 1, of: ["a", { b: null }] });
      await context.notify("acme/step", { step: 2 });
      return "done";
    });
    const client = await connect(server);
    client.onNotification("acme/step", (params) => events.push(params));
    client.onNotification("acme/other", () => {
      throw new Error("must not run");
    });

    await client.callTool("work").then(() => events.push("result"));

    expect(events).toEqual([{ step: 1, of: ["a", { b: null }] }, { step: 2 }, "result"]);
  },
);

verifies(
  "protocol:custom-notification:roundtrip",
  "a client's own notification reaches the server's handler for it, and no other",
  async ({ connect }) => {
    const received = deferred<unknown>();
    const server = new McpServer({ name: "custom", version: "1.0.0" });
    server.onNotification("acme/moved", (params, method) => received.resolve({ method, params }));
    server.onNotification("acme/other", () => {
      throw new Error("must not run");
    });
    const client = await connect(server);

    await client.notify("acme/moved", { to: { x: 1, y: [2] } });

    expect(await received.promise).toEqual({ method: "acme/moved", params: { to: { x: 1, y: [2] } } });
  },
);

verifies(
  "protocol:request-handler:override-builtin",
  "a handler for a method of the specification serves it, whether it was set before or after what it replaces",
  async ({ connect }) => {
    const listed = [{ name: "other", inputSchema: { type: "object" as const } }];
    for (const order of ["before", "after"]) {
      const server = new McpServer({ name: "special", version: "1.0.0" });
      if (order === "before") server.handle("tools/list", () => ({ tools: listed }));
      server.tool("real", {}, () => "still called");
      if (order === "after") server.handle("tools/list", () => ({ tools: listed }));
      const client = await connect(server);

      expect((await client.listTools()).tools).toEqual(listed);
      expect((await client.callTool("real")).content).toEqual([{ type: "text", text: "still called" }]);
    }
  },
);
