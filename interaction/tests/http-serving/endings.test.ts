import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Client } from "parley-mcp/client";
import { createNodeHandler, type HttpRequest, serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { callPost, exchange } from "../../src/http/http-posts.js";
import { PipelinedLine, wireText } from "../../src/http/pipelined-line.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

verifies(
  "hosting:http:shutdown-takes-answers",
  "a question that is open when the server closes is answered",
  async () => {
    const server = new McpServer({ name: "asker", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const { action } = await context.elicit({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });
      return action;
    });
    for (const path of ["/mcp", "/sse"]) {
      const host = await hostHttp(server, { shutdownGraceMs: 10_000, legacy: { sse: true } });
      const url = new URL(path, host.url);
      let closed: Promise<void> | undefined;
      const client = await Client.connect(url, {
        name: "c",
        version: "1.0.0",
        revision: "2025-06-18",
        onError: () => {},
        elicit: () => {
          closed = host.handle.close();
          return { action: "decline" };
        },
      });
      expect((await client.callTool("ask")).content).toEqual([{ type: "text", text: "decline" }]);
      await closed;
      await client.close();
    }
  },
);

verifies(
  "hosting:http:served-again",
  "old and new clients reach each of eight servers that listen on one port in turn with their first call",
  async () => {
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      const start = (port: number) => {
        const server = new McpServer({ name: "greeter", version: "1.0.0" });
        server.tool("greet", {}, () => "hello");
        return serveHttp(server, { port });
      };
      const identity = { name: "c", version: "1.0.0", revision, onError: () => {} };
      let host = await start(0);
      const { port, url } = host;
      const old = await Client.connect(url, identity);
      const texts: unknown[] = [];

      for (let round = 0; round < 8; round += 1) {
        const fresh = await Client.connect(url, identity);
        for (const client of [fresh, old]) texts.push((await client.callTool("greet")).content[0]);
        expect((await exchange(url, callPost("greet"))).status).toBe(200);
        await fresh.close();
        await host.close();
        host = await start(port);
      }
      await old.close();
      await host.close();

      expect(texts).toEqual(new Array(16).fill({ type: "text", text: "hello" }));
    }
  },
);

verifies(
  "hosting:http:shutdown-streams",
  "a standalone stream of a session ends when the server closes, although the grace is an hour",
  async () => {
    const server = new McpServer({ name: "silent", version: "1.0.0" });
    const host = await hostHttp(server, { shutdownGraceMs: 3_600_000, keepAliveMs: Number.POSITIVE_INFINITY });
    const client = await host.client().open();
    const stream = await client.get();

    await host.handle.close();

    expect(await stream.event()).toBeUndefined();
  },
);

verifies(
  "hosting:http:left-behind",
  "a call before a hundred pipelined answers is aborted when its client leaves",
  async () => {
    const aborted = deferred();
    const answered = [deferred(), deferred()];
    let answers = 0;
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.tool("hang", {}, (_args, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve());
      return new Promise<string>(() => {});
    });
    server.tool("greet", {}, () => "hello");
    const onResponse = () => {
      answers += 1;
      if (answers > 100) answered[answers - 101]?.resolve();
    };
    await using host = await hostHttp(server, { onResponse, shutdownGraceMs: 0 });
    const socket = connect(Number(new URL(host.url).port), "127.0.0.1").on("error", () => undefined);

    const { status } = await exchange(host.url, callPost("greet"));
    socket.write(wireText(callPost("hang")) + wireText(callPost("greet")).repeat(100));
    await answered[0]?.promise;
    // With that many bytes of answers, Node would stop reading the connection at the next request.
    socket.write(wireText(callPost("greet")));
    await answered[1]?.promise;
    socket.destroy();

    await aborted.promise;
    expect(status).toBe(200);
  },
);

verifies(
  "hosting:http:shutdown-cuts-off",
  "a handler that still runs when the grace is over is aborted and answered in either era, and the client does not call again",
  async () => {
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      const server = new McpServer({ name: "endless", version: "1.0.0" });
      const started = [deferred<void>(), deferred<void>()];
      let runs = 0;
      server.tool("run", { input: z.object({ talks: z.boolean() }) }, async ({ talks }, context) => {
        if (talks) await context.progress(1);
        started[runs++]?.resolve();
        await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
        return "too late";
      });
      const host = await hostHttp(server, { shutdownGraceMs: 1 });
      const onError = () => {};
      const client = await Client.connect(host.url, { name: "c", version: "1.0.0", revision, onError });
      const calls = [false, true].map((talks) => client.callTool("run", { talks }, { onProgress: () => {} }));
      const outcomes = Promise.allSettled(calls);
      await Promise.all(started.map(({ promise }) => promise));
      await host.handle.close();
      const reason = { name: "ProtocolError", code: -32603, message: expect.stringContaining("shut down while") };
      expect(await outcomes).toMatchObject([{ reason }, { reason }]);
      expect(runs).toBe(2);
      await client.close();
    }
  },
);

verifies(
  "hosting:http:shutdown-try-again",
  "a call and a connection made while another call finishes say when to try again",
  async () => {
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      const [started, finished] = [deferred<void>(), deferred<void>()];
      const server = new McpServer({ name: "closing", version: "1.0.0" });
      server.tool("greet", {}, () => "hello");
      server.tool("finish", {}, async () => {
        started.resolve();
        await finished.promise;
        return "done";
      });
      const host = await hostHttp(server, { shutdownGraceMs: 10_000 });
      const identity = { name: "c", version: "1.0.0", revisions: [revision], onError: () => {} };
      const client = await Client.connect(host.url, identity);
      const running = client.callTool("finish");
      await started.promise;
      const closed = host.handle.close();

      const refusal = { code: 429, data: { limit: "server", retryAfterMs: 1_000 } };
      await expect(client.callTool("greet")).rejects.toMatchObject(refusal);
      await expect(Client.connect(host.url, identity)).rejects.toMatchObject(refusal);
      const { status, headers } = await exchange(host.url, callPost("greet"));
      expect([status, headers.get("retry-after")]).toEqual([503, "1"]);

      finished.resolve();
      expect((await running).content).toEqual([{ type: "text", text: "done" }]);
      await client.close();
      await closed;
    }
  },
);

verifies(
  "hosting:http:stalled-reader",
  "a client that stops reading is disconnected, and the handler that waits for it is released",
  async () => {
    const released = [deferred<void>(), deferred<void>()];
    const server = new McpServer({ name: "teller", version: "1.0.0", onError: () => {} });
    server.tool("tell", {}, async (_args, context) => {
      while (!context.signal.aborted) await context.notify("acme/note", { text: "x".repeat(100_000) }).catch(() => {});
      released.shift()?.resolve();
      return "";
    });
    const [overSocket, overFetch] = released.map(({ promise }) => promise);
    await using host = await hostHttp(server, { stallTimeoutMs: 20 });
    const unread = await fetch(host.url, callPost("tell"));
    await overSocket;
    await expect(unread.text()).rejects.toThrow();
    const handler = createFetchHandler(server, { stallTimeoutMs: 20 });
    const alsoUnread = await handler(new Request("http://localhost/mcp", callPost("tell")));
    await overFetch;
    await expect(alsoUnread.text()).rejects.toThrow("reads too slowly");
  },
);

const ANSWER = "x".repeat(1_000_000);

/** A connection that sends requests and reads nothing. */
function unreadCalls(url: string, count: number, authorization = "nobody"): Socket {
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
  const { headers, ...call } = callPost("big");
  socket.write(wireText({ ...call, headers: { ...headers, authorization } }).repeat(count));
  return socket;
}

/** Writes until the server has closed the connection. */
async function untilClosed(socket: Socket): Promise<void> {
  while (!socket.destroyed) {
    socket.write("\r\n");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

verifies(
  "hosting:http:pipelined-many",
  "a client that pipelines 5,000 calls gets all answers, and another client is answered meanwhile",
  async () => {
    const server = new McpServer({ name: "teller", version: "1.0.0" });
    server.tool("page", {}, () => "x".repeat(2_000));
    await using host = await hostHttp(server);
    using line = new PipelinedLine(Number(new URL(host.url).port));

    line.write(wireText(callPost("page")).repeat(5_000));
    const { status } = await exchange(host.url, callPost("page"));
    await line.responses(5_000);

    expect(status).toBe(200);
    expect([...line.statuses]).toEqual([["200", 5_000]]);
  },
);

verifies(
  "hosting:http:pipelined-unserved",
  "a hundred of 2,000 pipelined requests wait for authenticate at most",
  async () => {
    const paused = deferred<void>();
    let [waiting, most] = [0, 0];
    const authenticate = async () => {
      waiting += 1;
      most = Math.max(most, waiting);
      if (waiting === 2_000) paused.resolve();
      await paused.promise;
      waiting -= 1;
      return { principal: "ada" };
    };
    const server = new McpServer({ name: "teller", version: "1.0.0" });
    server.tool("page", {}, () => "x");
    const handler = createNodeHandler(server, { authenticate });
    const http = createServer(handler).listen(0, "127.0.0.1");
    http.on("connection", (socket) => socket.on("pause", () => paused.resolve()));
    await once(http, "listening");
    const { port } = http.address() as AddressInfo;
    using line = new PipelinedLine(port);

    const head = `GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nx-pad: ${"z".repeat(2_000)}`;
    line.write(`${head}\r\n\r\n`.repeat(2_000));
    await line.responses(2_000);
    expect((await exchange(`http://127.0.0.1:${port}/mcp`, callPost("page"))).status).toBe(200);
    http.close();

    expect(most).toBeLessThan(100);
    expect([...line.statuses]).toEqual([["400", 2_000]]);
  },
);

verifies(
  "hosting:http:unread-answers",
  "a client that reads none of 300 large answers is disconnected before 50 of its calls have run",
  async () => {
    const server = new McpServer({ name: "teller", version: "1.0.0" });
    let runs = 0;
    server.tool("big", {}, () => {
      runs += 1;
      return ANSWER;
    });
    await using host = await hostHttp(server, { stallTimeoutMs: 50 });
    await untilClosed(unreadCalls(host.url, 300));
    expect(runs).toBeGreaterThan(0);
    expect(runs).toBeLessThan(50);
    const handler = createFetchHandler(server, { stallTimeoutMs: 20 });
    const unread = await handler(new Request("http://localhost/mcp", callPost("big")));
    const reader = unread.body?.getReader();
    await reader?.read();
    await expect(reader?.closed).rejects.toThrow("reads too slowly");
  },
);

verifies(
  "hosting:http:unread-total",
  "the client that has read nothing for longest is disconnected first at the limit of queued bytes",
  { judge: "not-written-down" },
  async () => {
    const server = new McpServer({ name: "teller", version: "1.0.0" });
    server.tool("big", {}, () => ANSWER);
    await using host = await hostHttp(server, { maxTotalQueuedBytes: 3_000_000 });
    const sockets = [unreadCalls(host.url, 20)];
    while (sockets[0]?.destroyed === false) {
      sockets[0].write("\r\n");
      if (sockets.length < 20) sockets.push(unreadCalls(host.url, 20));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await fetch(host.url, callPost("big"))).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  },
);

verifies(
  "hosting:http:unread-total",
  "a principal that reads nothing is disconnected at the limit of queued bytes, and another one is not",
  async () => {
    const server = new McpServer({ name: "teller", version: "1.0.0" });
    server.tool("big", {}, () => ANSWER);
    const authenticate = (request: HttpRequest) => ({ principal: request.header("authorization") });
    await using host = await hostHttp(server, { maxTotalQueuedBytes: 5_000_000, authenticate });
    const polite = unreadCalls(host.url, 8, "polite");
    const greedy = [unreadCalls(host.url, 20, "greedy")];
    while (greedy.every(({ destroyed }) => !destroyed)) {
      for (const socket of greedy) socket.write("\r\n");
      if (greedy.length < 20) greedy.push(unreadCalls(host.url, 20, "greedy"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    let text = "";
    for await (const chunk of polite.setEncoding("utf8")) {
      text += chunk;
      if (text.split(ANSWER).length === 9) break;
    }
    expect(text.split(ANSWER)).toHaveLength(9);
    for (const socket of greedy) socket.destroy();
  },
);

verifies(
  "hosting:http:long-answer",
  "an answer of a megabyte reaches a client that reads, although one byte may be queued",
  async () => {
    const server = new McpServer({ name: "teller", version: "1.0.0" });
    server.tool("big", {}, () => ANSWER);
    await using host = await hostHttp(server, { maxQueuedBytes: 1, maxTotalQueuedBytes: 1 });
    const handler = createFetchHandler(server, { maxQueuedBytes: 1 });
    for (const response of [
      await fetch(host.url, callPost("big")),
      await handler(new Request("http://localhost/mcp", callPost("big"))),
    ]) {
      expect(await response.text()).toContain(ANSWER);
    }
  },
);

/** What a connection has received when the server has ended it. */
async function received(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket.setEncoding("utf8")) text += chunk;
  return text;
}

verifies(
  "hosting:http:silent-connections",
  "a silent connection is closed before its first request, and an idle one after an answer",
  async () => {
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    server.tool("big", {}, () => "hello");
    await using strict = await hostHttp(server, { headersTimeoutMs: 40 });
    await using host = await hostHttp(server, { idleConnectionMs: 40 });
    const silent = connect(Number(new URL(strict.url).port), "127.0.0.1");
    const idle = unreadCalls(host.url, 1);
    expect(await received(silent)).not.toContain("200 OK");
    expect(await received(idle)).toContain("hello");
  },
);

verifies(
  "hosting:http:idle-makes-room",
  "an idle connection is closed for a newcomer at the limit of connections, and a busy one is not",
  async () => {
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    const [started, released] = [deferred<void>(), deferred<void>()];
    server.tool("big", {}, async () => {
      started.resolve();
      await released.promise;
      return "hello";
    });
    await using host = await hostHttp(server, { maxConnections: 1 });
    const idle = connect(Number(new URL(host.url).port), "127.0.0.1");
    await new Promise((resolve) => idle.once("connect", resolve));
    let hasStarted = false;
    void started.promise.then(() => {
      hasStarted = true;
    });
    const tries: Socket[] = [];
    // A connection that was opened less than a second ago stays.
    await vi.waitFor(
      () => {
        if (!hasStarted) tries.push(unreadCalls(host.url, 1));
        expect(hasStarted).toBe(true);
      },
      { timeout: 5_000, interval: 200 },
    );
    expect(await received(idle)).toBe("");
    const refused = await received(unreadCalls(host.url, 1));
    expect(refused).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 1/);
    released.resolve();
    for (const socket of tries) socket.end();
    expect((await Promise.all(tries.map(received))).join("")).toContain("hello");
  },
);

verifies(
  "hosting:http:connections-per-address",
  "a second connection of an address over the limit gets 429, unless the address is a proxy's",
  async () => {
    for (const [sharedAddresses, status] of [
      [[], 429],
      [["127.0.0.1"], 200],
    ] as const) {
      const server = new McpServer({ name: "greeter", version: "1.0.0" });
      const [started, released] = [deferred<void>(), deferred<void>()];
      server.tool("wait", {}, async () => {
        started.resolve();
        await released.promise;
        return "";
      });
      server.tool("big", {}, () => "hello");
      await using host = await hostHttp(server, { maxConnectionsPerAddress: 1, sharedAddresses });
      const first = fetch(host.url, callPost("wait"));
      await started.promise;
      const second = unreadCalls(host.url, 1);
      second.end();
      expect(await received(second)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      released.resolve();
      expect((await first).status).toBe(200);
    }
  },
);
