import { McpServer } from "parley-mcp/server";
import type { Root } from "parley-mcp/types";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const ROOTS: Root[] = [
  { uri: "file:///srv/ada/engine", name: "Analytical engine" },
  { uri: "file:///srv/ada/n%C3%B6tes.md" },
];

function rootsServer(): McpServer {
  const server = new McpServer({ name: "files", version: "1.0.0" });
  server.tool("where", {}, async (_args, context) => JSON.stringify(await context.listRoots()));
  return server;
}

const telling = (roots: Root[]) => [{ type: "text", text: JSON.stringify(roots) }];

verifies(
  "roots:capability:declare",
  "the server sees roots among what the client declared, or does not",
  async ({ connect }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("look", {}, (_args, { clientCapabilities }) => JSON.stringify(clientCapabilities));

    for (const listRoots of [() => ROOTS, () => [], async () => ROOTS]) {
      const client = await connect(server, { listRoots });
      expect((await client.callTool("look")).content).toEqual([{ type: "text", text: '{"roots":{}}' }]);
    }
    const plain = await connect(server);
    expect((await plain.callTool("look")).content).toEqual([{ type: "text", text: "{}" }]);
  },
);

verifies("roots:list:basic", "a tool gets the roots that the client was given", async ({ connect }) => {
  const client = await connect(rootsServer(), { listRoots: () => ROOTS });

  const { content } = await client.callTool("where");

  expect(content).toEqual(telling(ROOTS));
});

verifies(
  "roots:list:request",
  "a legacy tool's question for roots is one request without params, between the call and its result",
  async ({ connect, wire }) => {
    const client = await connect(rootsServer(), { listRoots: () => ROOTS });

    await client.callTool("where");

    const [asked, answered] = wire.from("server").slice(-2);
    expect(wire.methods("server")).toEqual(["roots/list"]);
    expect(asked).toMatchObject({ method: "roots/list" });
    expect(asked).not.toHaveProperty("params");
    expect(wire.from("client").at(-1)).toMatchObject({ result: { roots: ROOTS } });
    expect(answered).toMatchObject({ result: { content: telling(ROOTS) } });
  },
);

verifies(
  "roots:mrtr:list:basic",
  "a modern tool's question for roots comes in a result, and the roots go with the retry under its key",
  async ({ connect, wire }) => {
    const client = await connect(rootsServer(), { listRoots: () => ROOTS });

    await client.callTool("where");

    const [required, done] = wire.from("server").slice(-2);
    expect(wire.methods("server")).toEqual([]);
    expect(required).toMatchObject({
      result: { resultType: "input_required", inputRequests: { "roots/list#1": { method: "roots/list" } } },
    });
    expect(wire.from("client").at(-1)).toMatchObject({
      method: "tools/call",
      params: { inputResponses: { "roots/list#1": { roots: ROOTS } } },
    });
    expect(done).toMatchObject({ result: { content: telling(ROOTS) } });
  },
);

verifies(
  "roots:list:function",
  "two calls get the roots that the listRoots function gives at the time of each",
  async ({ connect }) => {
    const given = [...ROOTS];
    const client = await connect(rootsServer(), { listRoots: async () => [given.shift() ?? { uri: "file:///" }] });

    const [first, second] = [await client.callTool("where"), await client.callTool("where")];

    expect([first.content, second.content]).toEqual(ROOTS.map((root) => telling([root])));
  },
);

verifies(
  "roots:list:empty",
  "a tool gets an empty list from a client with an empty list of roots",
  async ({ connect }) => {
    const client = await connect(rootsServer(), { listRoots: () => [] });

    const { content } = await client.callTool("where");

    expect(content).toEqual(telling([]));
  },
);

verifies(
  "roots:list-changed",
  "a server's handler hears that the roots changed, and a tool that asks after that gets the new roots",
  async ({ connect, wire }) => {
    const told = deferred<unknown>();
    const server = rootsServer();
    server.onNotification("notifications/roots/list_changed", (params, method) => told.resolve({ method, params }));
    let roots: Root[] = [];
    const client = await connect(server, { listRoots: () => roots, capabilities: { roots: { listChanged: true } } });

    roots = ROOTS;
    await client.notify("notifications/roots/list_changed");

    expect(await told.promise).toEqual({ method: "notifications/roots/list_changed", params: {} });
    expect((await client.callTool("where")).content).toEqual(telling(ROOTS));
    expect(wire.methods("client").filter((method) => method.startsWith("notifications/roots"))).toHaveLength(1);
  },
);

verifies(
  "roots:list-changed:by-itself",
  "setRoots tells the server, which then gets the new roots",
  async ({ connect }) => {
    const told = deferred<unknown>();
    const server = rootsServer();
    server.onNotification("notifications/roots/list_changed", () => told.resolve("told"));
    const client = await connect(server, { listRoots: () => [], capabilities: { roots: { listChanged: true } } });

    await client.setRoots(ROOTS);

    expect(await told.promise).toBe("told");
    expect((await client.callTool("where")).content).toEqual(telling(ROOTS));
  },
);

verifies(
  "roots:replaced",
  "a client that announces no changes still gives the new roots to the next question, and setRoots needs roots to replace",
  async ({ connect, wire }) => {
    const client = await connect(rootsServer(), { listRoots: () => [] });
    await client.setRoots(ROOTS);

    expect((await client.callTool("where")).content).toEqual(telling(ROOTS));
    expect(wire.methods("client")).not.toContain("notifications/roots/list_changed");
    const none = await connect(rootsServer());
    await expect(none.setRoots(ROOTS)).rejects.toMatchObject({
      code: "capability-not-supported",
      message: expect.stringContaining("the option listRoots"),
    });
  },
);

verifies(
  "roots:list-changed:capability",
  "capabilities declared by hand go out beside the roots' own capability, and the roots are given as before",
  async ({ connect, wire }) => {
    const client = await connect(rootsServer(), {
      listRoots: () => ROOTS,
      capabilities: { roots: { listChanged: true } },
    });

    expect(wire.from("client")[0]).toMatchObject({ params: { capabilities: { roots: { listChanged: true } } } });
    expect((await client.callTool("where")).content).toEqual(telling(ROOTS));
  },
);

verifies(
  "roots:list-changed:by-hand",
  "a client with listRoots declares roots without listChanged, and announcing changes is refused",
  async ({ connect, wire }) => {
    for (const listRoots of [() => ROOTS, async () => ROOTS]) {
      const client = await connect(rootsServer(), { listRoots });
      await expect(client.notify("notifications/roots/list_changed")).rejects.toMatchObject({
        code: "capability-not-supported",
        message: expect.stringContaining("roots.listChanged"),
      });
    }
    const declared = wire
      .from("client")
      .flatMap((message) => ("params" in message && message.params?.capabilities) || []);
    expect(declared).toEqual([{ roots: {} }, { roots: {} }]);
  },
);

verifies(
  "roots:list-changed:gone",
  "a client refuses to announce changed roots in a revision without them, and nothing goes out",
  async ({ connect, wire }) => {
    const server = rootsServer();
    server.onNotification("notifications/roots/list_changed", () => {
      throw new Error("must not run");
    });
    const client = await connect(server, { listRoots: () => ROOTS });

    await expect(client.notify("notifications/roots/list_changed")).rejects.toMatchObject({
      code: "method-not-in-revision",
      message: expect.stringContaining("notifications/roots/list_changed"),
    });
    expect(wire.methods("client")).not.toContain("notifications/roots/list_changed");
  },
);

verifies(
  "roots:list-changed:ask-again",
  "a handler of roots/list_changed reads who tells it and asks for the roots again, as often as they change",
  async ({ connect, revision }) => {
    const seen = [deferred<unknown>(), deferred<unknown>()];
    let [count, roots] = [0, ROOTS];
    const server = new McpServer({ name: "files", version: "1.0.0" });
    server.onNotification("notifications/roots/list_changed", async (_params, method, context) => {
      const { clientInfo, era } = context;
      const next = seen[count];
      count += 1;
      const can = context.canAsk("roots") && !context.canAsk("sampling");
      next?.resolve([method, context.revision, era, clientInfo?.name, can, await context.listRoots()]);
    });
    const client = await connect(server, {
      name: "editor",
      listRoots: () => roots,
      capabilities: { roots: { listChanged: true } },
    });
    const told = (given: Root[]) => ["notifications/roots/list_changed", revision, "legacy", "editor", true, given];

    await client.notify("notifications/roots/list_changed");
    expect(await seen[0]?.promise).toEqual(told(ROOTS));
    roots = [];
    await client.notify("notifications/roots/list_changed");
    expect(await seen[1]?.promise).toEqual(told([]));
  },
);

verifies(
  "roots:list-changed:refused",
  "a notification handler that asks for roots is refused if the client has none or is modern",
  async ({ connect, era, wire }) => {
    const outcome = deferred<unknown>();
    const server = new McpServer({ name: "files", version: "1.0.0" });
    server.onNotification("acme/moved", async (_params, _method, context) => {
      outcome.resolve(await context.listRoots().catch((error: unknown) => error));
    });
    const client = await connect(server);

    await client.notify("acme/moved");

    expect(await outcome.promise).toMatchObject({ code: era === "modern" ? "method-not-in-revision" : -32602 });
    expect(wire.methods("server")).toEqual([]);
  },
);
