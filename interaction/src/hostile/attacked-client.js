/**
 * The client under attack: connections to a hostile server and to a polite one in one process. The calls to the polite one
 * are measured. Every limit has its default. `HOSTILE_ONLY` names the attacks to run, for finding which one hurts.
 */
import { fileURLToPath } from "node:url";
import { Client } from "parley-mcp/client";
import { LatencyRecorder } from "./latencies.js";
import { processorMs, retainedMiB, takePeaks } from "./memory-meter.js";
import { serveParent, settings } from "./parent-channel.js";
import { WatchedResource } from "./watched-resource.js";

const EVERY_MS = 5;
const TICKS_PER_SECOND = 1_000 / EVERY_MS;
const DRIPS = 20;
const { hostileUrl, politeUrl } = settings();
const MODERN = /** @type {const} */ ("2026-07-28");
const LEGACY = /** @type {const} */ ("2025-11-25");
const POLITE_PROGRAM = fileURLToPath(new URL("../../programs/stdio-server.js", import.meta.url));
const HOSTILE_PROGRAM = fileURLToPath(new URL("hostile-stdio.js", import.meta.url));

const asked = { now: 0, peak: 0, unsafeUrls: 0 };
const isOver = new AbortController();
/**
 * Close the connections to the hostile server.
 * @type {(() => Promise<void>)[]}
 */
const closings = [];

/** @param {string} name @param {"2026-07-28" | "2025-11-25"} revision @param {import("parley-mcp/client").ConnectTarget} target */
function connect(name, revision, target) {
  return Client.connect(target, {
    name,
    version: "1.0.0",
    revision,
    cache: true,
    elicit: async () => {
      asked.now += 1;
      asked.peak = Math.max(asked.peak, asked.now);
      // A user answers later.
      await new Promise((resolve) => void setImmediate(resolve));
      asked.now -= 1;
      return { action: "accept", content: { name: "polite" } };
    },
    elicitUrl: ({ url }) => {
      if (!/^https?:/.test(url)) asked.unsafeUrls += 1;
      return { action: "decline" };
    },
    onError: () => undefined,
  });
}

const modern = await connect("polite", MODERN, politeUrl);
const legacy = await connect("polite", LEGACY, politeUrl);
const stdio = await connect("polite", LEGACY, { command: process.execPath, args: [POLITE_PROGRAM] });
for (const client of [modern, legacy, stdio]) await client.listTools();
const watched = [new WatchedResource(modern, "note://polite"), new WatchedResource(legacy, "note://polite")];
for (const one of watched) await one.listen();

/** @param {Client} client @param {number} tick */
async function add(client, tick) {
  const { structuredContent } = await client.callTool("add", { a: tick, b: 1 });
  if (JSON.stringify(structuredContent) !== `{"sum":${tick + 1}}`) throw new Error("the answer was lost");
}

/** @param {Client} client @param {string} tool @param {string} expected */
async function call(client, tool, expected) {
  const { content } = await client.callTool(tool);
  if (content[0]?.type !== "text" || content[0].text !== expected) throw new Error("the answer was lost");
}

/** @param {number} tick */
async function arrive(tick) {
  const client = await connect("polite", tick % 2 === 0 ? MODERN : LEGACY, politeUrl);
  try {
    await add(client, tick);
  } finally {
    await client.close();
  }
}

/** @param {LatencyRecorder} recorder @param {number} tick */
function tickOf(recorder, tick) {
  const turn = tick % TICKS_PER_SECOND;
  if (turn === 0) void recorder.watch("new connection", () => arrive(tick));
  for (const [index, one] of watched.entries()) {
    if (turn % 40 === 7 + 20 * index) void recorder.watch("change", () => one.publish());
  }
  if (turn % 40 === 10) void recorder.time("elicitation, modern", () => call(modern, "ask", "polite"));
  else if (turn % 40 === 30) void recorder.time("elicitation, legacy", () => call(legacy, "ask", "polite"));
  else if (turn % 3 === 0) void recorder.time("modern", () => add(modern, tick));
  else if (turn % 3 === 1) void recorder.time("legacy", () => add(legacy, tick));
  else void recorder.time("stdio", () => call(stdio, "greet", "hello\nworld"));
}

/**
 * Uses of the hostile server by name, with the row of the table: each is repeated until the attack is over. `everyMs` is
 * the least time between two beginnings.
 * @type {Record<string, { everyMs: number, count?: number, use: (signal: AbortSignal) => Promise<unknown> }>}
 */
const attacks = {
  "10 tools": {
    everyMs: 100,
    use: on("/tools", async (client, signal) => {
      for await (const _tool of client.tools({ signal, fresh: true })) void _tool;
    }),
  },
  "3 schemas": {
    everyMs: 2_000,
    use: on("/schemas", async (client, signal) => {
      await client.listTools({ signal });
      for (const name of ["unique", "dependent", "branches"])
        await client.callTool(name, {}, { signal }).catch(() => 0);
    }),
  },
  "11 questions": { everyMs: 1_000, use: on("/questions", (client, signal) => client.callTool("ask", {}, { signal })) },
  "11 urls": { everyMs: 500, use: on("/urls", (client, signal) => client.callTool("go", {}, { signal })) },
  "11 changes": {
    everyMs: 1_000,
    // Nobody reads the changes.
    use: on("/changes", async (client, signal) => {
      const changes = await client.listen({ resource: ["note://watched"] });
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await changes.close();
    }),
  },
  progress: {
    everyMs: 500,
    use: on("/progress", (client, signal) => client.callTool("work", {}, { signal, onProgress: () => undefined })),
  },
  events: { everyMs: 500, use: on("/events", (client, signal) => client.callTool("work", {}, { signal })) },
  line: { everyMs: 500, use: on("/line", (client, signal) => client.callTool("work", {}, { signal })) },
  drip: { everyMs: 500, count: DRIPS, use: on("/drip", (client, signal) => client.callTool("work", {}, { signal })) },
  "stdio noise": { everyMs: 500, use: onProgram("noise") },
  "stdio line": { everyMs: 500, use: onProgram("line") },
};

/** @param {string} path @param {(client: Client, signal: AbortSignal) => Promise<unknown>} use */
function on(path, use) {
  return withClient(() => connect("victim", MODERN, hostileUrl + path), use);
}

/** @param {string} argument */
function onProgram(argument) {
  const target = { command: process.execPath, args: [HOSTILE_PROGRAM, argument] };
  return withClient(
    () => connect("victim", MODERN, target),
    (client, signal) => client.callTool("work", {}, { signal }),
  );
}

/**
 * One client for all uses, since the memory that it keeps is part of the attack.
 * @param {() => Promise<Client>} open @param {(client: Client, signal: AbortSignal) => Promise<unknown>} use
 */
function withClient(open, use) {
  /** @type {Promise<Client> | undefined} */
  let opening;
  closings.push(async () => {
    const client = await opening;
    opening = undefined;
    await client?.close();
  });
  return async (/** @type {AbortSignal} */ signal) => {
    opening ??= open();
    await use(await opening, signal);
  };
}

/** @param {(typeof attacks)[string]} attack @param {number} pace @param {AbortSignal} signal */
async function repeat({ everyMs, use }, pace, signal) {
  while (!signal.aborted) {
    const due = new Promise((resolve) => void setTimeout(resolve, everyMs * pace));
    // Errors are the protection at work.
    await use(signal).catch(() => undefined);
    await due;
  }
}

const only = process.env.HOSTILE_ONLY?.split(",");
const chosen = Object.entries(attacks).filter(([name]) => only?.some((prefix) => name.startsWith(prefix)) ?? true);

serveParent(
  {},
  {
    phase: ({ ms }) => {
      const recorder = new LatencyRecorder(processorMs);
      return recorder.run(EVERY_MS, ms, (tick) => tickOf(recorder, tick));
    },
    attack: async ({ pace }) => {
      takePeaks();
      for (const [, attack] of chosen) {
        for (let left = attack.count ?? 1; left > 0; left -= 1) void repeat(attack, pace, isOver.signal);
      }
      return {};
    },
    peaks: () => ({ ...takePeaks(), peakQuestions: asked.peak, unsafeUrls: asked.unsafeUrls }),
    held: async () => ({ retainedMiB: await retainedMiB() }),
    end: async () => {
      isOver.abort();
      await Promise.all(closings.map((close) => close()));
      return {};
    },
  },
);
