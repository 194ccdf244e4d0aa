/**
 * The polite principal: calls in both eras, over HTTP and TCP, at a steady rate, and holds sessions and subscriptions. Once
 * a second a newcomer connects. Latencies and failures are recorded phase by phase.
 */
import { Client } from "parley-mcp/client";
import { SocketTransport } from "parley-mcp/node";
import { LatencyRecorder } from "./latencies.js";
import { serveParent, settings } from "./parent-channel.js";
import { WatchedResource } from "./watched-resource.js";

const EVERY_MS = 5;
const TICKS_PER_SECOND = 1_000 / EVERY_MS;
const { url, storedUrl, tcpPort } = settings();
const headers = { authorization: "Bearer polite" };
const MODERN = /** @type {const} */ ("2026-07-28");
const LEGACY = /** @type {const} */ ("2025-11-25");

/** @param {"2026-07-28" | "2025-11-25"} revision @param {import("parley-mcp/client").ConnectTarget} target */
function connect(revision, target) {
  return Client.connect(target, {
    name: "polite",
    version: "1.0.0",
    revision,
    timeoutMs: 20_000,
    // A client that opened a lost connection again would hide the loss.
    reconnect: false,
    elicit: () => ({ action: "accept", content: { name: "polite" } }),
    onError: () => undefined,
  });
}

/**
 * @param {string} target @param {string | undefined} session
 * @param {string} method @param {object} params
 */
function postRaw(target, session, method, params) {
  return fetch(target, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session !== undefined && { "mcp-session-id": session }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

/**
 * Opens a session as a client does that only posts, and resolves with a ping for later.
 * @param {string} target
 */
async function openIdle(target) {
  const clientInfo = { name: "polite", version: "1.0.0" };
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo };
  const opened = await postRaw(target, undefined, "initialize", params);
  await opened.text();
  const session = opened.headers.get("mcp-session-id") ?? undefined;
  return async () => {
    const { status } = await postRaw(target, session, "ping", {});
    if (status !== 200) throw new Error(`HTTP ${status}`);
  };
}

const modern = await connect(MODERN, { url, headers });
const legacy = await connect(LEGACY, { url, headers });
const stored = await connect(LEGACY, { url: storedUrl, headers });
/** Sessions without a stream, which are idle between the first request and the last. */
const idle = [await openIdle(url), await openIdle(storedUrl)];
const tcp = await connect(MODERN, new SocketTransport({ port: tcpPort }));

const watched = [new WatchedResource(modern, "note://modern"), new WatchedResource(legacy, "note://legacy")];
for (const one of watched) await one.listen();

/** The processor time of the server, as its latest answer says. */
let serverMs = 0;

/** @param {unknown} processorMs */
function heard(processorMs) {
  serverMs = Math.max(serverMs, Number(processorMs));
}

/** @param {unknown} value @returns {value is { sum: number, processorMs: number }} */
function isSum(value) {
  return typeof value === "object" && value !== null && "sum" in value;
}

/** @param {Client} client @param {number} tick */
async function add(client, tick) {
  const { structuredContent } = await client.callTool("add", { a: tick, b: 1 });
  if (!isSum(structuredContent) || structuredContent.sum !== tick + 1)
    throw new Error(`answered ${JSON.stringify(structuredContent)}`);
  heard(structuredContent.processorMs);
}

/** @param {Client} client */
async function ask(client) {
  const { content } = await client.callTool("ask");
  const [name, processorMs] = content[0]?.type === "text" ? content[0].text.split(" ") : [];
  if (name !== "polite") throw new Error("the answer was lost");
  heard(processorMs);
}

/** @param {Client} client */
async function read(client) {
  const { contents } = await client.readResource("note://modern");
  const text = contents[0] && "text" in contents[0] ? contents[0].text : "";
  if (!text.startsWith("note://modern ")) throw new Error("the resource was lost");
  heard(text.split(" ")[1]);
}

/** @param {"2026-07-28" | "2025-11-25"} revision @param {string} target @param {number} tick */
async function arrive(revision, target, tick) {
  const client = await connect(revision, { url: target, headers });
  try {
    await add(client, tick);
    await client.listen({ resource: ["note://modern"] });
  } finally {
    await client.close();
  }
}

/** @param {LatencyRecorder} recorder @param {number} tick */
function tickOf(recorder, tick) {
  const turn = tick % TICKS_PER_SECOND;
  if (turn === 0) void recorder.watch("newcomer, modern", () => arrive(MODERN, url, tick));
  if (turn === 50) void recorder.watch("newcomer, legacy", () => arrive(LEGACY, url, tick));
  if (turn === 100) void recorder.watch("newcomer, session store", () => arrive(LEGACY, storedUrl, tick));
  for (const [index, one] of watched.entries()) {
    if (turn % 40 === 7 + 20 * index) void recorder.watch("change", () => one.publish());
  }
  if (turn % 40 === 10) void recorder.time("elicitation, modern", () => ask(modern));
  else if (turn % 40 === 30) void recorder.time("elicitation, legacy", () => ask(legacy));
  else if (turn % 5 === 0) void recorder.time("modern", () => add(modern, tick));
  else if (turn % 5 === 1) void recorder.time("legacy", () => add(legacy, tick));
  else if (turn % 5 === 2) void recorder.time("session store", () => add(stored, tick));
  else if (turn % 5 === 3) void recorder.time("tcp", () => add(tcp, tick));
  else void recorder.time("resource", () => read(modern));
}

serveParent(
  {},
  {
    phase: async ({ ms }) => {
      const recorder = new LatencyRecorder(() => serverMs);
      return recorder.run(EVERY_MS, ms, (tick) => tickOf(recorder, tick));
    },
    idle: async () => {
      const recorder = new LatencyRecorder(() => serverMs);
      await Promise.all(idle.map((ping, index) => recorder.watch(`idle session ${index + 1}`, ping)));
      return recorder.run(1, 0, () => undefined);
    },
  },
);
