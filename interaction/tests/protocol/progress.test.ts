import type { ProgressReport } from "parley-mcp/client";
import { McpServer, type ServerContext } from "parley-mcp/server";
import type { JsonRpcMessage } from "parley-mcp/testing";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

/** What each `tools/call` among the messages carries in `_meta`. */
const metasOf = (messages: readonly JsonRpcMessage[]) =>
  messages.flatMap((message) =>
    "method" in message && message.method === "tools/call" ? [{ ...(message.params?._meta as object) }] : [],
  );

/** The params of every `notifications/progress` among the messages. */
const reportsIn = (messages: readonly JsonRpcMessage[]) =>
  messages.flatMap((message) =>
    "method" in message && message.method === "notifications/progress" ? [message.params] : [],
  );

verifies(
  "protocol:progress:callback",
  "every report reaches the callback in order and with its total, before the result",
  async ({ connect }) => {
    const events: unknown[] = [];
    const server = new McpServer({ name: "worker", version: "1.0.0" });
    server.tool("work", {}, async (_args, context) => {
      await context.progress(0, 4);
      await context.progress(2.5, 4);
      await context.progress(3);
      void context.progress(4, 4);
      return "done";
    });
    const client = await connect(server);

    const onProgress = (progress: ProgressReport) => void events.push(progress);
    await client.callTool("work", {}, { onProgress }).then(({ content }) => events.push(content));

    expect(events).toEqual([
      { progress: 0, total: 4 },
      { progress: 2.5, total: 4 },
      { progress: 3 },
      { progress: 4, total: 4 },
      [{ type: "text", text: "done" }],
    ]);
  },
);

verifies("protocol:progress:message", "the message of a report reaches the callback", async ({ connect }) => {
  const reports: ProgressReport[] = [];
  const server = new McpServer({ name: "worker", version: "1.0.0" });
  server.tool("work", {}, async (_args, context) => {
    await context.progress(1, 2, "half way");
    await context.progress(2, undefined, "");
    return "done";
  });
  const client = await connect(server);

  await client.callTool("work", {}, { onProgress: (progress) => void reports.push(progress) });

  expect(reports).toEqual([
    { progress: 1, total: 2, message: "half way" },
    { progress: 2, message: "" },
  ]);
});

verifies(
  "protocol:progress:token-injected",
  "the token joins the caller's own _meta keys, on the wire and at the handler, and the caller's object stays as it was",
  async ({ connect, wire }) => {
    const metas: unknown[] = [];
    const server = new McpServer({ name: "worker", version: "1.0.0" });
    server.tool("work", {}, (_args, context) => {
      metas.push({ ...context.meta });
      return "done";
    });
    const client = await connect(server);

    const meta = { "com.example/trace": { span: 1 } };
    await client.callTool("work", {}, { meta, onProgress: () => undefined });

    const [sent] = metasOf(wire.from("client"));
    expect(sent).toMatchObject({ "com.example/trace": { span: 1 }, progressToken: expect.anything() });
    const { progressToken: token } = sent as { progressToken: unknown };
    expect(typeof token === "string" || Number.isInteger(token)).toBe(true);
    expect(metas).toEqual([sent]);
    expect(meta).toEqual({ "com.example/trace": { span: 1 } });
  },
);

verifies(
  "protocol:progress:token-refused",
  "a fractional token is refused with its path, and strings and integers are not",
  { judge: "no-valid-form" },
  async ({ openClient, params }) => {
    const server = new McpServer({ name: "worker", version: "1.0.0" });
    server.tool("work", {}, () => "done");
    const peer = await openClient(server);
    for (const progressToken of [1.5, true, null]) {
      const call = await peer.request(
        `no ${progressToken}`,
        "tools/call",
        params({ name: "work", _meta: { progressToken } }),
      );
      expect(call).toMatchObject({ error: { code: -32602, message: expect.stringContaining("_meta.progressToken") } });
    }
    for (const progressToken of ["1.5", 7]) {
      const call = await peer.request(
        `yes ${progressToken}`,
        "tools/call",
        params({ name: "work", _meta: { progressToken } }),
      );
      expect(call).toMatchObject({ result: { content: [{ type: "text", text: "done" }] } });
    }
  },
);

verifies(
  "protocol:progress:token-unique",
  "three calls at once carry three tokens, and each callback hears of its own call alone",
  async ({ connect, wire }) => {
    const allStarted = deferred();
    let started = 0;
    const server = new McpServer({ name: "worker", version: "1.0.0" });
    server.tool("work", { input: { type: "object" } }, async (args, context) => {
      started += 1;
      if (started === 3) allStarted.resolve();
      await allStarted.promise;
      await context.progress(Number(args.turn));
      await context.progress(Number(args.turn) + 10);
      return "done";
    });
    const client = await connect(server);

    const heard: number[][] = [[], [], []];
    const calls = heard.map((reports, turn) =>
      client.callTool("work", { turn }, { onProgress: ({ progress }) => void reports.push(progress) }),
    );
    await Promise.all(calls);

    const tokens = metasOf(wire.from("client")).map((meta) => (meta as { progressToken?: unknown }).progressToken);
    expect(tokens).toHaveLength(3);
    expect(new Set(tokens.map(String)).size).toBe(3);
    expect(heard).toEqual([
      [0, 10],
      [1, 11],
      [2, 12],
    ]);
  },
);

verifies(
  "protocol:progress:no-token",
  "a call without onProgress sends no token, and the handler's reports are not sent",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "worker", version: "1.0.0" });
    server.tool("work", {}, async (_args, context) => {
      await context.progress(1, 2);
      return "done";
    });
    const client = await connect(server);
    client.onNotification("notifications/progress", () => {
      throw new Error("must not run");
    });

    const { content } = await client.callTool("work");

    expect(content).toEqual([{ type: "text", text: "done" }]);
    const [meta] = metasOf(wire.from("client"));
    expect(meta).not.toHaveProperty("progressToken");
    expect(reportsIn(wire.from("server"))).toEqual([]);
  },
);

verifies(
  "protocol:progress:monotonic",
  "a report that does not exceed the last one is not sent",
  async ({ connect, wire }) => {
    const reports: number[] = [];
    const server = new McpServer({ name: "worker", version: "1.0.0" });
    server.tool("work", {}, async (_args, context) => {
      for (const value of [-1, 2, 2, 1, 2.5, 0, 3]) await context.progress(value);
      return "done";
    });
    const client = await connect(server);

    await client.callTool("work", {}, { onProgress: ({ progress }) => void reports.push(progress) });

    expect(reports).toEqual([-1, 2, 2.5, 3]);
    expect(reportsIn(wire.from("server"))).toMatchObject([-1, 2, 2.5, 3].map((progress) => ({ progress })));
  },
);

verifies(
  "protocol:progress:stops-after-completion",
  "reports after the answer, and after a cancellation, are left out without an error",
  async ({ connect, wire }) => {
    const contexts: ServerContext[] = [];
    const server = new McpServer({ name: "worker", version: "1.0.0" });
    server.tool("work", {}, async (_args, context) => {
      contexts.push(context);
      await context.progress(1);
      return "done";
    });
    server.tool("wait", {}, async (_args, context) => {
      contexts.push(context);
      await context.progress(1);
      return new Promise<string>((resolve) => context.signal.addEventListener("abort", () => resolve("too late")));
    });
    server.handle("acme/barrier", async () => {
      for (const context of contexts) await context.progress(2);
      return {};
    });
    const client = await connect(server);
    const stop = new AbortController();
    const reported = deferred();

    await client.callTool("work", {}, { onProgress: () => undefined });
    const call = client.callTool("wait", {}, { signal: stop.signal, onProgress: () => reported.resolve() });
    await reported.promise;
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    await client.request("acme/barrier");

    expect(contexts).toHaveLength(2);
    expect(reportsIn(wire.from("server"))).toMatchObject([{ progress: 1 }, { progress: 1 }]);
  },
);

verifies(
  "protocol:progress:late-dropped-by-client",
  "progress after the answer, or under a token nobody gave out, reaches no callback",
  async ({ openServer }) => {
    const reports: unknown[] = [];
    const { peer, client } = await openServer();

    const call = client.request("acme/work", {}, { onProgress: (progress) => void reports.push(progress) });
    const request = await peer.receive();
    const { progressToken } = (request.params as { _meta: { progressToken: unknown } })._meta;
    await peer.notify("notifications/progress", { progressToken, progress: 1 });
    await peer.notify("notifications/progress", { progressToken: "nobody's", progress: 2 });
    await peer.respond(request, { done: true });
    await peer.notify("notifications/progress", { progressToken, progress: 3 });
    const barrier = client.request("acme/work");
    await peer.respond(await peer.receive(), { done: true });
    await barrier;

    expect(await call).toEqual({ done: true });
    expect(reports).toEqual([{ progress: 1 }]);
  },
);

verifies(
  "protocol:progress:client-to-server",
  "progress of a client's handler reaches the server's handler that waits for it, before the answer",
  async ({ connect }) => {
    const events: unknown[] = [];
    const server = new McpServer({ name: "asker", version: "1.0.0" });
    server.handle("acme/ask", async (_params, context) => {
      const onProgress = (progress: ProgressReport) => void events.push(progress);
      events.push(await context.request("acme/work", {}, { onProgress }));
      return {};
    });
    const client = await connect(server);
    client.handle("acme/work", async (_params, context) => {
      await context.progress(1, 2);
      await context.progress(2, 2);
      return { done: true };
    });

    await client.request("acme/ask");

    expect(events).toEqual([{ progress: 1, total: 2 }, { progress: 2, total: 2 }, { done: true }]);
  },
);
