/** A server written with the official SDK, first major version. */
import { setTimeout as wait } from "node:timers/promises";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
  type ServerNotification,
  type ServerRequest,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { type HungCalls, STEP_MS } from "../exhibit.js";

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

export function officialV1Server(hung: HungCalls): McpServer {
  const capabilities = { logging: {}, resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } };
  const server = new McpServer({ name: "official-v1", version: "1.0.0" }, { capabilities });
  addPlainTools(server);
  addStreamingTools(server, hung);
  addAskingTools(server);
  addResources(server);
  const who = completable(z.string(), (typed) => ["ada", "bob"].filter((person) => person.startsWith(typed)));
  server.registerPrompt("greet", { argsSchema: { who } }, (args) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${args.who}` } }],
  }));
  return server;
}

function addPlainTools(server: McpServer): void {
  server.registerTool("echo", { inputSchema: { text: z.string() } }, (args) => text(args.text));
  server.registerTool(
    "sum",
    { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
  );
  server.registerTool("fail", {}, () => ({ ...text("it broke"), isError: true }));
  server.registerTool("grow", {}, () => {
    server.registerTool(`grown-${crypto.randomUUID()}`, {}, () => text("new"));
    return text("grown");
  });
  server.registerTool("touch", {}, async () => {
    await server.server.sendResourceUpdated({ uri: "note://today" });
    return text("touched");
  });
}

function addStreamingTools(server: McpServer, hung: HungCalls): void {
  const report = async (steps: number, pauseMs: number, { _meta, sendNotification }: Extra) => {
    for (let step = 1; step <= steps; step += 1) {
      if (pauseMs > 0) await wait(pauseMs);
      const progressToken = _meta?.progressToken ?? 0;
      const params = { progressToken, progress: step, total: steps };
      await sendNotification({ method: "notifications/progress", params });
    }
    if (pauseMs > 0) await wait(pauseMs);
    return text(`${steps} steps`);
  };
  const inputSchema = { count: z.number() };
  server.registerTool("steps", { inputSchema }, ({ count }, extra) => report(count, STEP_MS, extra));
  server.registerTool("burst", { inputSchema }, ({ count }, extra) => report(count, 0, extra));
  server.registerTool("hang", {}, async ({ signal }) => text(await hung.until(signal)));
  server.registerTool("hung", {}, () => text(hung.report()));
  server.registerTool("log", {}, async ({ sendNotification }) => {
    await sendNotification({ method: "notifications/message", params: { level: "warning", data: "a warning" } });
    return text("logged");
  });
}

function addAskingTools(server: McpServer): void {
  const elicit = ({ sendRequest }: Extra, field: string) => {
    const requestedSchema = { type: "object" as const, properties: { [field]: { type: "string" as const } } };
    const params = { mode: "form" as const, message: `Your ${field}?`, requestedSchema };
    return sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
  };
  const roots = ({ sendRequest }: Extra) => sendRequest({ method: "roots/list" }, ListRootsResultSchema);
  server.registerTool("ask", {}, async (extra) => text(JSON.stringify(await elicit(extra, "name"))));
  server.registerTool("ask-url", {}, async ({ sendRequest }) => {
    const page = { message: "Please sign in", url: "https://example.com/sign-in", elicitationId: crypto.randomUUID() };
    const params = { mode: "url" as const, ...page };
    const { action } = await sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
    return text(action);
  });
  server.registerTool("sample", {}, async ({ sendRequest }) => {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Say something" } }];
    const request = { method: "sampling/createMessage" as const, params: { messages, maxTokens: 20 } };
    return text(JSON.stringify((await sendRequest(request, CreateMessageResultSchema)).content));
  });
  server.registerTool("roots", {}, async (extra) => text(JSON.stringify((await roots(extra)).roots)));
  server.registerTool("rounds", {}, async (extra) => {
    const [who, listed] = await Promise.all([elicit(extra, "name"), roots(extra)]);
    const favorite = await elicit(extra, "color");
    return text([who.content?.name, listed.roots[0]?.uri, favorite.content?.color].join(", "));
  });
}

function addResources(server: McpServer): void {
  server.registerResource("today", "note://today", { mimeType: "text/plain" }, ({ href }) => ({
    contents: [{ uri: href, text: "rain" }],
  }));
  const template = new ResourceTemplate("note://by-day/{day}", { list: undefined });
  server.registerResource("by-day", template, {}, ({ href }, { day }) => ({
    contents: [{ uri: href, text: `on ${String(day)}` }],
  }));
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
}
