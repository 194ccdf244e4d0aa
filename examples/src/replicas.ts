/**
 * Three replicas of one server behind HAProxy, with their state in Redis, and a page on which to kill one and watch. `REDIS_URL` names a
 * Redis that runs already, `PORT` the port of the page, `HAPROXY_CONFIGURATION` a file in the place of `examples/replicas/haproxy.cfg`.
 */
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Client } from "parley-mcp/client";
import { serveControl } from "./replicas/control.js";
import { Fleet, NAMES } from "./replicas/fleet.js";
import { freePort, startHaproxy, startRedis } from "./replicas/programs.js";

const CONFIGURATION = fileURLToPath(
  new URL(process.env.HAPROXY_CONFIGURATION ?? "../replicas/haproxy.cfg", import.meta.url),
);
const PAUSE_MS = 500;

const redisPort = await freePort();
const redis = process.env.REDIS_URL === undefined ? await startRedis(redisPort) : undefined;
const redisUrl = process.env.REDIS_URL ?? `redis://127.0.0.1:${redisPort}`;

const ports = new Map(await Promise.all(NAMES.map(async (name) => [name, await freePort()] as const)));
const fleet = new Fleet(redisUrl, ports);
await Promise.all(NAMES.map((name) => fleet.start(name)));

const balancerPort = await freePort();
const balancer = await startHaproxy(CONFIGURATION, {
  HAPROXY_PORT: String(balancerPort),
  ...Object.fromEntries([...ports].map(([name, port]) => [`PORT_${name.toUpperCase()}`, String(port)])),
});
const url = `http://127.0.0.1:${balancerPort}/mcp`;
const control = await serveControl(fleet, url, Number(process.env.PORT ?? 3000));
const clients = await Promise.all([watch("2026-07-28", "modern"), watch("2025-11-25", "legacy, one session")]);

// A server that listens on a port has one.
const { port } = control.address() as AddressInfo;
console.log(`Three replicas listen at ${url}

  kill one and watch    http://127.0.0.1:${port}/
  connect               node examples/dist/client.js ${url}
  stop                  Ctrl-C`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());

/** Calls a tool again and again, over one connection, and records who answered. */
async function watch(revision: "2026-07-28" | "2025-11-25", era: string): Promise<{ close(): Promise<void> }> {
  const client = await Client.connect(url, { name: "watch", version: "1.0.0", revision, onError: () => undefined });
  const timer = setInterval(async () => {
    const at = Date.now();
    const outcome = await client.callTool("who").then(
      ({ content: [block] }) => (block?.type === "text" ? block.text : "nothing"),
      (error: Error) => error.message,
    );
    fleet.record({ at, era, outcome, ms: Date.now() - at });
  }, PAUSE_MS);
  return {
    close: async () => {
      clearInterval(timer);
      await client.close();
    },
  };
}

async function stop(): Promise<void> {
  control.close();
  control.closeAllConnections();
  for (const client of clients) await client.close();
  await balancer.stop();
  await fleet.stop();
  await redis?.stop();
}
