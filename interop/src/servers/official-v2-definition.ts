/** A server written with the official SDK, second major version. */
import { setTimeout as wait } from "node:timers/promises";
import {
  completable,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { type HungCalls, STEP_MS } from "../exhibit.js";
import { isRecord } from "../peer-client.js";

/** How the host that serves the modern era announces changes; the instance itself announces them in the legacy one. */
export interface Announce {
  toolsChanged(): void;
  resourceUpdated(uri: string): void;
}

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

export function officialV2Server(hung: HungCalls, announce?: Announce): McpServer {
  const capabilities = { logging: {}, resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } };
  const server = new McpServer({ name: "official-v2", version: "1.0.0" }, { capabilities });
  addPlainTools(server, announce);
  addStreamingTools(server, hung);
  addAskingTools(server);
  addResources(server);
  const who = completable(z.string(), (typed) => ["ada", "bob"].filter((person) => person.startsWith(typed)));
  server.registerPrompt("greet", { argsSchema: z.object({ who }) }, (args) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${args.who}` } }],
  }));
  return server;
}

function addPlainTools(server: McpServer, announce: Announce | undefined): void {
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, (args) => text(args.text));
  const sum = { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) };
  server.registerTool("sum", sum, ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }));
  server.registerTool("fail", {}, () => ({ ...text("it broke"), isError: true }));
  server.registerTool("grow", {}, () => {
    server.registerTool(`grown-${crypto.randomUUID()}`, {}, () => text("new"));
    announce?.toolsChanged();
    return text("grown");
  });
  server.registerTool("touch", {}, async () => {
    if (announce) announce.resourceUpdated("note://today");
    else await server.server.sendResourceUpdated({ uri: "note://today" });
    return text("touched");
  });
}

function addStreamingTools(server: McpServer, hung: HungCalls): void {
  const report = async (steps: number, pauseMs: number, { mcpReq }: ServerContext) => {
    for (let step = 1; step <= steps; step += 1) {
      if (pauseMs > 0) await wait(pauseMs);
      const progressToken = mcpReq._meta?.progressToken ?? 0;
      const params = { progressToken, progress: step, total: steps };
      await mcpReq.notify({ method: "notifications/progress", params });
    }
    if (pauseMs > 0) await wait(pauseMs);
    return text(`${steps} steps`);
  };
  const inputSchema = z.object({ count: z.number() });
  server.registerTool("steps", { inputSchema }, ({ count }, context) => report(count, STEP_MS, context));
  server.registerTool("burst", { inputSchema }, ({ count }, context) => report(count, 0, context));
  server.registerTool("hang", {}, async ({ mcpReq }) => text(await hung.until(mcpReq.signal)));
  server.registerTool("hung", {}, () => text(hung.report()));
  server.registerTool("log", {}, async ({ mcpReq }) => {
    await mcpReq.log("warning", "a warning");
    return text("logged");
  });
}

function form(field: string): ReturnType<typeof inputRequired.elicit> {
  const requestedSchema = { type: "object" as const, properties: { [field]: { type: "string" as const } } };
  return inputRequired.elicit({ message: `Your ${field}?`, requestedSchema });
}

function addAskingTools(server: McpServer): void {
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Say something" } }];
  const questions = {
    ask: () => form("name"),
    "ask-url": () => inputRequired.elicitUrl({ message: "Please sign in", url: "https://example.com/sign-in" }),
    sample: () => inputRequired.createMessage({ messages, maxTokens: 20 }),
    roots: () => inputRequired.listRoots(),
  };
  for (const [name, question] of Object.entries(questions)) {
    server.registerTool(name, {}, ({ mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "question");
      if (answer.kind === "missing") return inputRequired({ inputRequests: { question: question() } });
      return text(JSON.stringify(answer));
    });
  }
  server.registerTool("rounds", {}, ({ mcpReq }) => {
    const { inputResponses } = mcpReq;
    const color = inputResponse(inputResponses, "color");
    if (color.kind === "elicit") {
      const earlier: unknown = JSON.parse(mcpReq.requestState<string>() ?? "{}");
      const { name, root } = isRecord(earlier) ? earlier : {};
      return text([name, root, color.content?.color].join(", "));
    }
    const [name, roots] = [inputResponse(inputResponses, "name"), inputResponse(inputResponses, "roots")];
    if (name.kind === "elicit" && roots.kind === "roots") {
      const earlier = { name: name.content?.name, root: roots.roots[0]?.uri };
      return inputRequired({ inputRequests: { color: form("color") }, requestState: JSON.stringify(earlier) });
    }
    return inputRequired({ inputRequests: { name: form("name"), roots: inputRequired.listRoots() } });
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
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
}
