/** One replica: a server over Redis that writes what it serves to the history. Started by `cluster.ts`, which tells it to measure its memory. */
import { RedisEventStore, RedisTaskStore, redisBackend } from "@parley-mcp/redis";
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { serveTasks } from "parley-mcp/tasks";
import { faultyChanges, faultyEvents, faultySessions, faultyStates, type StoreFault } from "./faulty-stores.js";
import { historyWriter } from "./history.js";
import { registerTools } from "./replica-tools.js";

/** Short enough for keys to expire while the run still watches. */
const EVENT_AGE_MS = 20_000;
const SESSION_IDLE_MS = 30_000;
const TASK_TTL_MS = 30_000;
const STATE_TTL_MS = 30_000;
/** A replica that is frozen for less is not taken for dead. */
const ALIVE_MS = 6_000;
const RECOVER_INTERVAL_MS = 1_000;

const { REDIS_URL = "", HISTORY = "", REPLICA = "", PORT = "0", STORE_FAULT } = process.env;
const fault = STORE_FAULT as StoreFault | undefined;
const write = historyWriter(HISTORY, `replica-${REPLICA}-${process.pid}`);

const shared = await redisBackend(REDIS_URL, { onError: () => undefined });
const taskStore = await RedisTaskStore.open(shared.connection, { aliveMs: ALIVE_MS });
const eventStore = new RedisEventStore(shared.connection, { maxAgeMs: EVENT_AGE_MS });

const server = new McpServer({
  name: REPLICA,
  version: "1.0.0",
  changeBus: faultyChanges(shared.server.changeBus, fault, (change) => {
    if (change.kind === "resource") write({ kind: "changed", topic: change.uri, replica: REPLICA });
  }),
  requestState: { ...faultyStates(shared.server.requestState, fault), ttlMs: STATE_TTL_MS },
  rateStore: shared.server.rateStore,
  tasks: serveTasks({
    store: taskStore,
    defaultTtlMs: TASK_TTL_MS,
    maxTtlMs: TASK_TTL_MS,
    pollIntervalMs: 200,
    recoverIntervalMs: RECOVER_INTERVAL_MS,
  }),
  onError: () => undefined,
  onClose: () => shared.close(),
});
registerTools(server, REPLICA, write);

const http = await serveHttp(server, {
  port: Number(PORT),
  legacy: {
    ...shared.http.legacy,
    sessionStore: faultySessions(shared.http.legacy.sessionStore, fault),
    eventStore: faultyEvents(eventStore, fault),
    sessionIdleMs: SESSION_IDLE_MS,
    retryMs: 100,
    onSessionOpened: ({ id, principal = "" }) => {
      write({ kind: "opened", client: principal, session: id, replica: REPLICA });
    },
  },
  // Names the client, as a token would.
  authenticate: (request) => ({ principal: request.header("x-client") ?? "nobody" }),
  fallback: (_request, response) => response.end("ok\n"),
  shutdownGraceMs: 2_000,
});

process.on("message", (message) => {
  if (message === "stop") void http.close().then(() => process.disconnect());
  if (message !== "measure") return;
  globalThis.gc?.();
  process.send?.({ heapBytes: process.memoryUsage().heapUsed });
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
