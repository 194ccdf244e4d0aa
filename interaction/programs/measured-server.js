/**
 * A server over HTTP that tells what it holds on to. Runs on the built package, with `--expose-gc`, in a process where
 * nothing else allocates; its settings are the JSON of its first argument, and questions come over the parent's channel.
 */
import { InMemoryEventStore, serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";

const { hasEventStore } = JSON.parse(process.argv[2] ?? "{}");
const eventStore = hasEventStore ? new InMemoryEventStore() : undefined;
// A hundred thousand calls of one client are what is measured.
const server = new McpServer({ name: "measured", version: "1.0.0", rateLimits: false, onError: () => undefined });
let [running, wanted, sessions, opened] = [0, -1, 0, 0];

/** @param {number} by */
function count(by) {
  running += by;
  if (running === wanted) reply({ running });
}

server.tool("hang", { input: { type: "object" } }, async ({ says }, context) => {
  if (says) await context.notify("acme/said", { says });
  count(1);
  await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
  count(-1);
  return "";
});

const { port } = await serveHttp(server, {
  shutdownGraceMs: 0,
  legacy: {
    eventStore,
    onSessionOpened: () => {
      sessions += 1;
      opened += 1;
    },
    onSessionClosed: () => {
      sessions -= 1;
    },
  },
});

/** @param {object} answer */
function reply(answer) {
  wanted = -1;
  process.send?.(answer);
}

async function tellHeld() {
  // What is garbage after a turn of the loop may have waited for that turn.
  for (let left = 3; left > 0; left -= 1) {
    await new Promise((resolve) => void setImmediate(resolve));
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  const live = process.getActiveResourcesInfo().filter((name) => name === "Timeout" || name === "TCPSocketWrap");
  const held = { bytes: heapUsed + external, live: live.length, running, sessions, opened };
  reply({ ...held, events: eventStore?.size ?? 0 });
}

/** `{ until }` is answered when so many handlers run, `{}` with what is held. */
process.on("message", (/** @type {{ until?: number }} */ { until }) => {
  if (until === undefined) void tellHeld();
  else {
    wanted = until;
    count(0);
  }
});
process.on("disconnect", () => process.exit());

reply({ port });
