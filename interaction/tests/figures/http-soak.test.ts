import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Client } from "parley-mcp/client";
import { InMemoryEventStore } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import type { Revision } from "parley-requirements";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { nextTurn } from "../../src/faults/fault-proxy.js";
import { bytesInUse, liveTimers, Remains } from "../../src/figures/garbage.js";
import { callPost, enveloped, initializePost, MODERN, modernPost, type Post, post } from "../../src/http/http-posts.js";
import { type HttpHost, hostHttp } from "../../src/http/raw-http-client.js";
import { type Body, verifies } from "../../src/verifies.js";

/** Whatever keeps a request keeps this too, which shows in a heap that goes up and down by itself. */
const LUGGAGE = "x".repeat(16_384);

/** Half of what would be in use more if so many requests were kept. */
const halfOf = (requests: number): number => (requests * LUGGAGE.length) / 2;

const WAIT = { timeout: 10_000 };
const SLOW = { deadlineMs: 30_000 };
const BATCH = 50;
const BATCHES = 20;

/** A tool that hangs until it is aborted, and how many of it run. */
function hanging() {
  const server = new McpServer({ name: "hanging", version: "1.0.0", onError: () => undefined });
  const remains = new Remains();
  let [running, wanted, reached] = [0, 0, deferred()];
  const add = (change: number) => {
    running += change;
    if (running === wanted) reached.resolve();
  };
  server.tool("hang", { input: z.object({ LUGGAGE: z.string() }) }, async (_args, context) => {
    remains.watch(context);
    await context.notify("acme/begun");
    add(1);
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    add(-1);
    return "";
  });
  const until = (count: number): Promise<void> => {
    [wanted, reached] = [count, deferred()];
    add(0);
    return reached.promise;
  };
  return { server, remains, until };
}

function cancels(revision: Revision, eventStore?: InMemoryEventStore): Body {
  return async () => {
    const { server, remains, until } = hanging();
    await using host = await hostHttp(server, { legacy: { eventStore } });
    const client = await Client.connect(host.url, { name: "fickle", version: "1.0.0", revision });
    const cancelMany = async () => {
      const abort = new AbortController();
      const calls = Array.from({ length: BATCH }, () => client.callTool("hang", { LUGGAGE }, { signal: abort.signal }));
      for (const watched of [abort, ...calls]) remains.watch(watched);
      const settled = Promise.allSettled(calls);
      await until(BATCH);
      abort.abort();
      for (const { status } of await settled) expect(status).toBe("rejected");
      await until(0);
    };

    await cancelMany();
    const [timers, bytes] = [liveTimers(), bytesInUse()];
    for (let left = BATCHES; left > 0; left -= 1) await cancelMany();

    await vi.waitFor(async () => expect(await remains.count()).toBe(0), WAIT);
    expect(eventStore?.size ?? 0).toBe(0);
    expect(liveTimers()).toBeLessThan(timers + BATCH);
    await vi.waitFor(() => expect(bytesInUse()).toBeLessThan(bytes + halfOf(BATCH * BATCHES)), WAIT);
    await client.close();
  };
}

verifies(
  "hosting:http:soak:cancelled-modern",
  "cancelled modern requests leave nothing on either side",
  SLOW,
  cancels(MODERN),
);

verifies(
  "hosting:http:soak:cancelled-legacy",
  "cancelled legacy requests leave nothing on either side, nor in the event store",
  SLOW,
  cancels("2025-11-25", new InMemoryEventStore()),
);

verifies(
  "hosting:http:soak:rejected",
  "refused requests leave no session and no memory, and a valid one finds room",
  SLOW,
  async () => {
    const opened = vi.fn();
    const server = new McpServer({ name: "strict", version: "1.0.0", onError: () => undefined });
    const requests = new Remains();
    await using host = await hostHttp(server, {
      authenticate: (request) => {
        requests.watch(request);
        return {};
      },
      legacy: { maxSessions: 1, onSessionOpened: opened },
    });
    const refused: Post[] = [
      initializePost({ "mcp-protocol-version": "1999-01-01" }),
      initializePost({ accept: "text/html" }),
      post({ jsonrpc: "2.0", id: 1, method: "initialize", params: { LUGGAGE } }),
      post({ jsonrpc: "2.0", id: 1, method: "ping", params: { LUGGAGE } }),
      post(`{${LUGGAGE}`),
      callPost("nothing", { LUGGAGE }),
    ];

    const sendAll = async () => {
      await Promise.all(refused.map(async (request) => (await fetch(host.url, request)).text()));
    };
    await sendAll();
    const bytes = bytesInUse();
    for (let left = 2 * BATCH; left > 0; left -= 1) await sendAll();

    // A connection that is kept alive may hold its last request.
    await vi.waitFor(async () => expect(await requests.count()).toBeLessThanOrEqual(2 * refused.length), WAIT);
    await vi.waitFor(() => expect(bytesInUse()).toBeLessThan(bytes + halfOf(2 * BATCH * refused.length)), WAIT);
    expect(opened).not.toHaveBeenCalled();
    expect((await fetch(host.url, initializePost())).headers.get("mcp-session-id")).toEqual(expect.any(String));
  },
);

const MANY = 10_000;
/** Forty megabytes in all: far more than the system takes for a connection. */
const TEXT = "x".repeat(4_096);
/** The queue of a stream and an event store may have a mebibyte each, and what they are written in is larger. */
const MAX_HELD = 6 * 1_048_576;

/** Sends a request and reads nothing of what comes. */
function sendUnread(
  { url, handle }: HttpHost,
  verb: string,
  { headers, body }: Pick<Post, "headers" | "body">,
): Socket {
  const fields = { host: new URL(url).host, "content-length": String(Buffer.byteLength(body)), ...headers };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(handle.port, "127.0.0.1").pause();
  socket.on("error", () => undefined);
  socket.write(`${verb} /mcp HTTP/1.1\r\n${head.join("")}\r\n${body}`);
  return socket;
}

/** A tool that does not wait for its client, and how much was in use more after it had said everything. */
function flooding() {
  const server = new McpServer({ name: "flood", version: "1.0.0", onError: () => undefined });
  const held = deferred<number>();
  server.tool("flood", {}, async (_args, context) => {
    const before = bytesInUse();
    for (let count = 0; count < MANY; count += 1)
      void context.notify("acme/note", { TEXT, count }).catch(() => undefined);
    // Between two ticks all promises settle, and the system has taken nothing more.
    for (let ticks = 0; ticks < 2; ticks += 1) await new Promise((resolve) => void process.nextTick(resolve));
    held.resolve(bytesInUse() - before);
    return "";
  });
  server.resource(`flood://${TEXT}`, { name: "flood" }, () => "");
  return { server, held: held.promise };
}

verifies(
  "hosting:http:soak:unread",
  "a handler that floods a client that reads nothing fills no memory",
  SLOW,
  async () => {
    for (const eventStore of [undefined, new InMemoryEventStore()]) {
      const [modern, legacy] = [flooding(), flooding()];
      await using modernHost = await hostHttp(modern.server);
      sendUnread(modernHost, "POST", callPost("flood"));
      expect(await modern.held).toBeLessThan(MAX_HELD);

      await using legacyHost = await hostHttp(legacy.server, { legacy: { eventStore } });
      const { sessionId = "" } = await legacyHost.client().open();
      const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "flood" } };
      sendUnread(legacyHost, "POST", post(call, { "mcp-session-id": sessionId }));
      expect(await legacy.held).toBeLessThan(MAX_HELD);
    }
  },
);

verifies(
  "hosting:http:slow-reader",
  "changes on a stream that a client does not read fill no memory",
  SLOW,
  async () => {
    for (const eventStore of [undefined, new InMemoryEventStore()]) {
      const { server } = flooding();
      await using host = await hostHttp(server, { legacy: { eventStore } });
      const client = await host.client().open();
      await (await client.request(1, "resources/subscribe", { uri: `flood://${TEXT}` })).answer();
      const headers = { accept: "text/event-stream", "mcp-session-id": client.sessionId ?? "" };
      sendUnread(host, "GET", { headers, body: "" });
      await vi.waitFor(async () => expect((await client.get()).status).toBe(409));
      const before = bytesInUse();
      for (let count = 0; count < MANY; count += 1) {
        server.announce.resourceUpdated(`flood://${TEXT}`);
        await nextTurn();
      }
      expect(bytesInUse() - before).toBeLessThan(MAX_HELD);
      const listening = await client.get();
      expect(listening.status).toBe(200);
      listening.disconnect();
    }
  },
);

verifies(
  "figures:unread:subscription",
  "a client that does not read its listen stream is cut off once too much waits for it",
  SLOW,
  async () => {
    const { server } = flooding();
    await using host = await hostHttp(server);
    const params = enveloped({ notifications: { resourceSubscriptions: [`flood://${TEXT}`] } });
    const socket = sendUnread(host, "POST", modernPost("subscriptions/listen", params));
    const closed = once(socket, "close");
    // The acknowledgement; from then on it reads nothing.
    await once(socket.resume(), "data");
    socket.pause();
    const before = bytesInUse();
    for (let count = 0; count < MANY; count += 1) {
      server.announce.resourceUpdated(`flood://${TEXT}`);
      await nextTurn();
    }
    expect(bytesInUse() - before).toBeLessThan(MAX_HELD);
    // What the system had taken is far less than what there was to say.
    socket.resume();
    await closed;
    expect(socket.bytesRead).toBeLessThan((MANY * TEXT.length) / 2);
  },
);

verifies(
  "hosting:http:soak:abandoned",
  "a thousand unused sessions are gone with all they held after half an hour",
  SLOW,
  async () => {
    // The test's own deadline runs in real time.
    await nextTurn();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
    try {
      const sessions = new Remains();
      const ends: string[] = [];
      const eventStore = new InMemoryEventStore();
      const server = new McpServer({ name: "patient", version: "1.0.0" });
      server.tool("work", {}, () => "done");
      const handler = createFetchHandler(server, {
        legacy: {
          eventStore,
          onSessionOpened: (session) => sessions.watch(session),
          onSessionClosed: (_session, end) => void ends.push(end),
        },
      });
      const send = (request: Post) => handler(new Request("http://localhost/mcp", request));
      for (let count = 0; count < 1_000; count += 1) {
        const id = (await send(initializePost())).headers.get("mcp-session-id") ?? "";
        const headers = { "mcp-session-id": id };
        await send(post({ jsonrpc: "2.0", method: "notifications/initialized" }, headers));
        const called = await send(
          post({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "work" } }, headers),
        );
        await called.text();
      }
      // They end a hundred at a time, each hundred a millisecond after the one before.
      await vi.advanceTimersByTimeAsync(1_800_010);
      expect(ends).toEqual(new Array(1_000).fill("idle"));
      expect([eventStore.size, vi.getTimerCount()]).toEqual([0, 0]);
      expect(await sessions.count()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  },
);
