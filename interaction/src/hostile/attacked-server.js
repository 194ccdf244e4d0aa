/**
 * The server under attack: two HTTP endpoints and a TCP socket that serve one `McpServer`. The first endpoint keeps events
 * and serves HTTP+SSE, the second keeps sessions in a slow store. Every limit that is not a setting has its default.
 */
import { HttpRefusal, InMemoryEventStore, InMemorySessionStore, serveHttp, serveSocket } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { z } from "zod";
import { processorMs, retainedMiB, takePeaks } from "./memory-meter.js";
import { serveParent, settings } from "./parent-channel.js";

const MEBIBYTE = 1_048_576;
const SLOW_STORE_MS = 20;
const { maxSessions } = settings();
const LARGE = "x".repeat(MEBIBYTE);

const server = new McpServer({ name: "attacked", version: "1.0.0", onError: () => undefined });
const touched = { count: 0 };
const hanging = { now: 0, peak: 0 };
/** Sessions of the polite principal that ended to make room. */
const evicted = { count: 0 };
/**
 * Ends of the handlers that hang.
 * @type {Set<(value: unknown) => void>}
 */
const releases = new Set();
/** The attack is over. Calls that are still in the buffers of its connections must not hang. */
let isReleased = false;

// Polite answers carry the processor time of this process: see latencies.js.
const sum = {
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number(), processorMs: z.number() }),
};
server.tool("add", sum, ({ a, b }) => ({ sum: a + b, processorMs: processorMs() }));
server.tool("ask", {}, async (_input, context) => {
  const answer = await context.elicit({ message: "Which?", schema: z.object({ name: z.string() }) });
  return answer.action === "accept" ? `${answer.content.name} ${processorMs()}` : answer.action;
});
server.tool("publish", { input: z.object({ uri: z.string() }) }, ({ uri }) => {
  server.announce.resourceUpdated(uri);
  return "published";
});
server.tool("touch", {}, () => {
  touched.count += 1;
  return "touched";
});
server.tool("large", {}, () => LARGE);
server.tool("hang", {}, async (_input, { signal }) => {
  if (isReleased) return "";
  hanging.now += 1;
  hanging.peak = Math.max(hanging.peak, hanging.now);
  await new Promise((resolve) => {
    releases.add(resolve);
    signal.addEventListener("abort", () => {
      releases.delete(resolve);
      resolve(undefined);
    });
  });
  hanging.now -= 1;
  return "";
});
const object = /** @type {const} */ ("object");
server.tool("unique", { input: { type: object, properties: { s: { uniqueItems: true } } } }, () => "unique");
server.tool("regex", { input: { type: object, properties: { s: { format: "regex" } } } }, () => "regex");
for (const uri of ["note://modern", "note://legacy"])
  server.resource(uri, { name: uri }, () => `${uri} ${processorMs()}`);

const TOKENS = new Map(["polite", "mallory"].map((name) => [`Bearer ${name}`, { principal: name }]));

/** @param {import("parley-mcp/node").HttpRequest} request */
function authenticate(request) {
  const caller = TOKENS.get(request.header("authorization") ?? "");
  if (!caller) throw HttpRefusal.unauthorized();
  return caller;
}

let sessions = new InMemorySessionStore();
/** A round trip over a network: a read sees the record as it was when the request arrived there. */
function delay() {
  return new Promise((resolve) => void setTimeout(resolve, SLOW_STORE_MS));
}
/** @type {import("parley-mcp/node").SessionStore} */
const slowStore = {
  get: async (id) => {
    const record = await sessions.get(id);
    await delay();
    return record;
  },
  set: (id, record, ttlMs) => sessions.set(id, record, ttlMs),
  delete: async (id) => {
    await delay();
    await sessions.delete(id);
  },
};

/** @type {import("parley-mcp/node").LegacyOptions} */
const limited = {
  maxSessions,
  onSessionClosed: ({ principal }, end) => {
    if (principal === "polite" && end === "evicted") evicted.count += 1;
  },
};
const main = await serveHttp(server, {
  authenticate,
  legacy: { ...limited, sse: true, eventStore: new InMemoryEventStore() },
});
const stored = await serveHttp(server, { authenticate, legacy: { ...limited, sessionStore: slowStore } });
const socket = await serveSocket(server, { port: 0 });
if (!("port" in socket.address)) throw new Error("A socket on a port has a port");

serveParent(
  { url: main.url, storedUrl: stored.url, port: main.port, storedPort: stored.port, tcpPort: socket.address.port },
  {
    release: async () => {
      isReleased = true;
      for (const release of releases) release(undefined);
      releases.clear();
      return {};
    },
    held: async () => ({ retainedMiB: await retainedMiB() }),
    peaks: () => ({ ...takePeaks(), touched: touched.count, evicted: evicted.count, peakHanging: hanging.peak }),
    close: async () => {
      const begun = performance.now();
      await Promise.all([main.close(), stored.close(), socket.close()]);
      const closeMs = Math.round(performance.now() - begun);
      // Records outlive the endpoint on purpose; they are not a leak.
      sessions = new InMemorySessionStore();
      return { closeMs, retainedMiB: await retainedMiB() };
    },
  },
);
