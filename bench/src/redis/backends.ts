/** The stores of a server, in memory or in Redis, and the commands that it sends to Redis. */
import { redisBackend } from "@parley-mcp/redis";
import { InMemoryEventStore, InMemorySessionStore, type ServeHttpOptions } from "parley-mcp/node";
import type { McpServerOptions } from "parley-mcp/server";
import { InMemoryTaskStore, serveTasks } from "parley-mcp/tasks";

export type BackendName = "memory" | "Redis";

export interface Backend {
  readonly server: Pick<McpServerOptions, "changeBus" | "requestState" | "tasks">;
  readonly http: Pick<ServeHttpOptions, "legacy">;
  /** Commands so far. A script counts as one. */
  readonly commands: () => number;
  close(): Promise<void>;
}

/** Clients poll this often. */
const POLL_MS = 100;

export async function openBackend(name: BackendName, redisUrl: string): Promise<Backend> {
  return name === "memory" ? inMemory() : inRedis(redisUrl);
}

function inMemory(): Backend {
  return {
    server: { tasks: serveTasks({ store: new InMemoryTaskStore(), pollIntervalMs: POLL_MS }) },
    http: { legacy: { sessionStore: new InMemorySessionStore(), eventStore: new InMemoryEventStore() } },
    commands: () => 0,
    close: async () => undefined,
  };
}

async function inRedis(url: string): Promise<Backend> {
  const shared = await redisBackend(url);
  const { connection } = shared;
  let commands = 0;
  const send = connection.send.bind(connection);
  connection.send = (what, command) => {
    commands += 1;
    return send(what, command);
  };
  const subscribe = connection.subscribe.bind(connection);
  connection.subscribe = (channel, listener) => {
    commands += 1;
    return subscribe(channel, listener);
  };
  return {
    server: { ...shared.server, tasks: serveTasks({ store: shared.taskStore, pollIntervalMs: POLL_MS }) },
    http: shared.http,
    commands: () => commands,
    close: () => shared.close(),
  };
}
