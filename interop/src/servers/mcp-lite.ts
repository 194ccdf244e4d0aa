/** A server written with mcp-lite, in every mode. */
import { setTimeout as wait } from "node:timers/promises";
import { InMemoryClientRequestAdapter, InMemorySessionAdapter, McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";
import { exhibit, STEP_MS } from "../exhibit.js";
import { lack } from "../features.js";
import { legacy, stateless } from "../modes.js";
import { ANSWERS } from "../peer-client.js";
import type { RunningServer, ServerPeer } from "../server-peer.js";
import { listenWithFetch } from "./http-listener.js";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const revision = "2025-06-18";
const lacks = {
  ...legacy,
  ...lack(
    "not implemented",
    "pagination",
    "completion",
    "logging",
    "cancellation",
    "URL elicitation",
    "roots",
    "resource updates",
  ),
  ...lack("no event ids in the streams of calls", "resumption"),
};

export const mcpLite: ServerPeer = {
  name: "mcp-lite",
  packageName: "mcp-lite",
  // It asks one thing after the other.
  exhibit: { ...exhibit, rounds: { ...exhibit.rounds, text: `${ANSWERS.name}, green` } },
  modes: [
    { name: "HTTP stateful", era: "legacy", revision, asksForRevision: true, lacks, start: serveSessions },
    {
      name: "HTTP stateful, newer client",
      era: "legacy",
      revision,
      lacks: { ...lacks, ...lack("not in 2025-03-26", "elicitation", "input rounds") },
      start: serveSessions,
    },
    {
      name: "HTTP stateless",
      era: "legacy",
      revision,
      asksForRevision: true,
      lacks: { ...lacks, ...stateless },
      start: () => serve(new StreamableHttpTransport()),
    },
  ],
};

function serveSessions(): Promise<RunningServer> {
  return serve(
    new StreamableHttpTransport({
      sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 100 }),
      clientRequestAdapter: new InMemoryClientRequestAdapter({ defaultTimeoutMs: 10_000 }),
    }),
  );
}

function serve(transport: StreamableHttpTransport): Promise<RunningServer> {
  return listenWithFetch(transport.bind(mcpLiteServer()));
}

function mcpLiteServer(): McpServer {
  const server = new McpServer({
    name: "mcp-lite",
    version: "1.0.0",
    // Every schema here is one of Zod's.
    schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType),
  });
  addPlainTools(server);
  addStreamingTools(server);
  addAskingTools(server);
  server.resource("note://today", { name: "today", mimeType: "text/plain" }, async ({ href }) => ({
    contents: [{ uri: href, type: "text", text: "rain" }],
  }));
  server.resource("note://by-day/{day}", { name: "by-day" }, async ({ href }, { day }) => ({
    contents: [{ uri: href, type: "text", text: `on ${String(day)}` }],
  }));
  server.prompt("greet", {
    arguments: z.object({ who: z.string() }),
    handler: ({ who }: { who: string }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Greet ${who}` } }],
    }),
  });
  return server;
}

function addPlainTools(server: McpServer): void {
  server.tool("echo", { inputSchema: z.object({ text: z.string() }), handler: (args) => text(args.text) });
  server.tool("sum", {
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
    handler: ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
  });
  server.tool("fail", { handler: () => ({ ...text("it broke"), isError: true }) });
  server.tool("grow", {
    handler: () => {
      server.tool(`grown-${crypto.randomUUID()}`, { handler: () => text("new") });
      return text("grown");
    },
  });
}

function addStreamingTools(server: McpServer): void {
  for (const [name, pauseMs] of [["steps", STEP_MS] as const, ["burst", 0] as const]) {
    server.tool(name, {
      inputSchema: z.object({ count: z.number() }),
      handler: async ({ count }, context) => {
        for (let step = 1; step <= count; step += 1) {
          if (pauseMs > 0) await wait(pauseMs);
          await context.progress?.({ progress: step, total: count });
        }
        if (pauseMs > 0) await wait(pauseMs);
        return text(`${count} steps`);
      },
    });
  }
}

function addAskingTools(server: McpServer): void {
  const form = (field: string) => ({
    message: `Your ${field}?`,
    schema: { type: "object", properties: { [field]: { type: "string" } } },
  });
  server.tool("ask", { handler: async (_args, { elicit }) => text(JSON.stringify(await elicit(form("name")))) });
  server.tool("sample", {
    handler: async (_args, { sample }) => {
      const { content } = await sample({ prompt: "Say something", maxTokens: 20 });
      return text(JSON.stringify(content));
    },
  });
  server.tool("rounds", {
    handler: async (_args, { elicit }) => {
      const answers = [await elicit(form("name")), await elicit(form("color"))];
      const filled = answers.map((answer) => (answer.action === "accept" ? Object.values(answer.content ?? {}) : []));
      return text(filled.flat().join(", "));
    },
  });
}
