/** What is done over Redis and over memory alike: the operation, and the server and clients that it needs. */
import { Client } from "parley-mcp/client";
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { getTask, tasks } from "parley-mcp/tasks";
import type { Backend } from "./backends.js";

export interface Subject {
  readonly setting: string;
  /** Opens one lane. Its function does one operation. */
  open(url: string, server: McpServer): Promise<Lane>;
}

export interface Lane {
  run(): Promise<unknown>;
  close(): Promise<void>;
}

const EVENTS = 4;
/** Calls are counted, and none is refused. */
const NO_HINDRANCE = { perSecond: 1e6, burst: 1e6 };
const TOPIC = "bench://topic";
const IDENTITY = { name: "bench", version: "1.0.0" } as const;

export const SUBJECTS: readonly Subject[] = [
  { setting: "call in a legacy session", open: (url) => calling(url, "echo") },
  { setting: `resumable stream of ${EVENTS} events`, open: (url) => calling(url, "count") },
  { setting: "listen delivery", open: listening },
  { setting: "task: started, finished, read", open: working },
];

/** The server of every subject. */
export function defineServer(backend: Backend): McpServer {
  const server = new McpServer({ ...IDENTITY, ...backend.server, rateLimits: { "tools/call": NO_HINDRANCE } });
  server.tool("echo", () => "echo");
  server.tool("count", async (_args, context) => {
    for (let event = 1; event <= EVENTS; event += 1) await context.progress(event, EVENTS);
    return "counted";
  });
  server.tool("work", { task: "required" }, () => "worked");
  server.resource(TOPIC, { name: "topic" }, () => "topic");
  return server;
}

export function serveSubject(server: McpServer, backend: Backend): ReturnType<typeof serveHttp> {
  return serveHttp(server, { ...backend.http });
}

async function calling(url: string, tool: string): Promise<Lane> {
  const client = await Client.connect(url, { ...IDENTITY, revision: "2025-11-25" });
  const onProgress = () => undefined;
  return { run: () => client.callTool(tool, {}, { onProgress }), close: () => client.close() };
}

async function listening(url: string, server: McpServer): Promise<Lane> {
  const client = await Client.connect(url, IDENTITY);
  const subscription = await client.listen({ resource: [TOPIC] });
  const changes = subscription[Symbol.asyncIterator]();
  return {
    run: () => {
      server.announce.resourceUpdated(TOPIC);
      return changes.next();
    },
    close: () => client.close(),
  };
}

async function working(url: string): Promise<Lane> {
  const client = await Client.connect(url, { ...IDENTITY, extensions: [tasks] });
  return {
    run: async () => {
      const { taskId } = await client.request("tools/call", { name: "work" });
      await client.request(getTask, { taskId });
    },
    close: () => client.close(),
  };
}
