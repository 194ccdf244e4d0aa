import type { ProgressReport } from "parley-mcp/client";
import { McpServer, type ServerContext } from "parley-mcp/server";
import type { ContentBlock } from "parley-mcp/types";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

verifies("tools:call:content:text", "the arguments reach the handler, and its text comes back", async ({ connect }) => {
  const server = new McpServer({ name: "adder", version: "1.0.0" });
  server.tool("add", { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`);
  const client = await connect(server);

  const { content, isError } = await client.callTool("add", { a: 2, b: 3 });

  expect(content).toEqual([{ type: "text", text: "5" }]);
  expect(isError ?? false).toBe(false);
});

verifies("tools:call:returns", "text, blocks, a full result and nothing all become results", async ({ connect }) => {
  const server = new McpServer({ name: "versatile", version: "1.0.0" });
  const blocks: ContentBlock[] = [{ type: "image", data: "AAAA", mimeType: "image/png" }];
  server.tool("text", {}, () => "plain words");
  server.tool("blocks", {}, async () => blocks);
  server.tool("full", {}, () => ({ content: blocks, isError: false, _meta: { "com.example/cost": 3 } }));
  server.tool("nothing", {}, () => undefined);
  const client = await connect(server);

  const [text, list, full, nothing] = [
    await client.callTool("text"),
    await client.callTool("blocks"),
    await client.callTool("full"),
    await client.callTool("nothing"),
  ];

  expect(text).toHaveProperty("content", [{ type: "text", text: "plain words" }]);
  expect(list).toHaveProperty("content", blocks);
  expect(full).toMatchObject({ content: blocks, isError: false, _meta: { "com.example/cost": 3 } });
  expect(nothing).toHaveProperty("content", []);
  for (const result of [text, list, nothing]) expect(result.isError ?? false).toBe(false);
});

verifies(
  "tools:call:no-arguments",
  "a call that leaves arguments out hands the handler an empty object",
  async ({ connect, wire }) => {
    const received: unknown[] = [];
    const server = new McpServer({ name: "lenient", version: "1.0.0" });
    server.tool("bare", {}, (args) => void received.push(args));
    server.tool("optional", { input: z.object({ city: z.string().optional() }) }, (args) => void received.push(args));
    const client = await connect(server);

    await client.request("tools/call", { name: "bare" });
    await client.request("tools/call", { name: "optional" });

    expect(received).toStrictEqual([{}, {}]);
    const calls = wire.from("client").filter((message) => "method" in message && message.method === "tools/call");
    expect(calls).toHaveLength(2);
    for (const call of calls) expect(call).not.toHaveProperty("params.arguments");
  },
);

verifies(
  "tools:call:concurrent",
  "two calls run at once, and each caller gets its own result whichever ends first",
  async ({ connect }) => {
    const both = { slow: { started: deferred(), end: deferred() }, fast: { started: deferred(), end: deferred() } };
    const server = new McpServer({ name: "parallel", version: "1.0.0" });
    server.tool("wait", { input: z.object({ as: z.enum(["slow", "fast"]) }) }, async ({ as }) => {
      both[as].started.resolve();
      await both[as].end.promise;
      return as;
    });
    const client = await connect(server);

    const ended: string[] = [];
    const calls = (["slow", "fast"] as const).map(async (as) => {
      const { content } = await client.callTool("wait", { as });
      ended.push(as);
      return content;
    });
    await Promise.all([both.slow.started.promise, both.fast.started.promise]);
    both.fast.end.resolve();
    await calls[1];
    both.slow.end.resolve();

    expect(await Promise.all(calls)).toEqual([[{ type: "text", text: "slow" }], [{ type: "text", text: "fast" }]]);
    expect(ended).toEqual(["fast", "slow"]);
  },
);

verifies(
  "tools:call:progress",
  "each step of progress arrives, in order and before the result",
  async ({ connect }) => {
    const server = new McpServer({ name: "stepwise", version: "1.0.0" });
    server.tool("count", {}, async (_args, context) => {
      await context.progress(1, 3);
      await context.progress(2.5, 3);
      return "counted";
    });
    const client = await connect(server);

    const events: (ProgressReport | string)[] = [];
    const { content } = await client.callTool("count", {}, { onProgress: (progress) => void events.push(progress) });
    events.push("result");

    expect(events).toMatchObject([{ progress: 1, total: 3 }, { progress: 2.5, total: 3 }, "result"]);
    expect(content).toEqual([{ type: "text", text: "counted" }]);
  },
);

verifies(
  "tools:call:context",
  "a handler reads who asks for what under which id, and hears when the caller gives up",
  async ({ connect, revision, era }) => {
    const entered = deferred<ServerContext>();
    const heard = deferred();
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("look", {}, async (_args, context) => {
      context.signal.addEventListener("abort", () => heard.resolve());
      entered.resolve(context);
      await heard.promise;
    });
    const client = await connect(server, {
      name: "asker",
      version: "2.1.0",
      capabilities: { experimental: { x: {} } },
    });

    const caller = new AbortController();
    const options = { id: "call-7", meta: { "com.example/trace": "t1" }, signal: caller.signal };
    const call = client.callTool("look", {}, options).catch((error: unknown) => error);
    const context = await entered.promise;

    expect(context).toMatchObject({ requestId: "call-7", method: "tools/call", revision, era });
    expect(context.meta).toMatchObject({ "com.example/trace": "t1" });
    expect(context.clientInfo).toEqual({ name: "asker", version: "2.1.0" });
    expect(context.clientCapabilities).toEqual({ experimental: { x: {} } });
    expect(context.signal.aborted).toBe(false);
    caller.abort();
    await heard.promise;
    expect(await call).toMatchObject({ name: "SdkError", code: "request-aborted" });
  },
);

verifies(
  "tools:call:by-params",
  "one object with name, arguments and _meta calls a tool as its parts one by one do",
  async ({ connect }) => {
    const server = new McpServer({ name: "sums", version: "1.0.0" });
    server.handle("tools/call", ({ name, arguments: args }, { meta }) => {
      const text = JSON.stringify([name, args, meta["acme.example/tenant"]]);
      return { content: [{ type: "text", text }] };
    });
    const client = await connect(server);
    const _meta = { "acme.example/tenant": "north" };

    expect(await client.callTool({ name: "add", arguments: { a: 2 }, _meta })).toEqual(
      await client.callTool("add", { a: 2 }, { meta: _meta }),
    );
    const bare = await client.callTool({ name: "add" });
    expect(bare.content).toEqual([{ type: "text", text: '["add",{},null]' }]);
    expect(bare).toEqual(await client.callTool("add"));
  },
);

verifies(
  "tools:call:by-params",
  "a timeout under the name that other clients have for it ends the call, unless timeoutMs says otherwise",
  async ({ connect }) => {
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.tool("wait", {}, (_args, { signal }) => {
      return new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("")));
    });
    const client = await connect(server);

    const late = client.callTool({ name: "wait" }, undefined, { timeout: 20 });
    await expect(late).rejects.toMatchObject({ code: "request-timeout", message: expect.stringContaining("20 ms") });
    const own = client.callTool({ name: "wait" }, undefined, { timeout: 60_000, timeoutMs: 30 });
    await expect(own).rejects.toMatchObject({ code: "request-timeout", message: expect.stringContaining("30 ms") });
  },
);
