/** A server written with fastmcp. */
import { setTimeout as wait } from "node:timers/promises";
import { FastMCP, UserError } from "fastmcp";
import { z } from "zod";
import { HungCalls, STEP_MS } from "../exhibit.js";

export function fastMcpServer(): FastMCP {
  const server = new FastMCP({ name: "fastmcp", version: "1.0.0", logger: silent });
  addPlainTools(server);
  addStreamingTools(server);
  addAskingTools(server);
  const mimeType = "text/plain";
  server.addResource({ uri: "note://today", name: "today", mimeType, load: async () => ({ text: "rain" }) });
  server.addResourceTemplate({
    uriTemplate: "note://by-day/{day}",
    name: "by-day",
    mimeType,
    arguments: [{ name: "day", required: true }],
    load: async ({ day }) => ({ text: `on ${day}` }),
  });
  const complete = async (typed: string) => ({ values: ["ada", "bob"].filter((person) => person.startsWith(typed)) });
  server.addPrompt({
    name: "greet",
    description: "greet",
    arguments: [{ name: "who", required: true, complete }],
    load: async ({ who }) => `Greet ${who}`,
  });
  return server;
}

const nothing = () => undefined;
const silent = { debug: nothing, error: nothing, info: nothing, log: nothing, warn: nothing };

function addPlainTools(server: FastMCP): void {
  server.addTool({
    name: "echo",
    description: "echo",
    parameters: z.object({ text: z.string() }),
    execute: async ({ text }) => text,
  });
  server.addTool({
    name: "sum",
    description: "sum",
    parameters: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
    execute: async ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } }),
  });
  server.addTool({
    name: "fail",
    description: "fail",
    execute: async () => {
      throw new UserError("it broke");
    },
  });
  server.addTool({
    name: "grow",
    description: "grow",
    execute: async () => {
      server.addTool({ name: `grown-${crypto.randomUUID()}`, description: "grown", execute: async () => "new" });
      return "grown";
    },
  });
  server.addTool({
    name: "touch",
    description: "touch",
    execute: async () => {
      await server.sendResourceUpdated("note://today");
      return "touched";
    },
  });
}

function addStreamingTools(server: FastMCP): void {
  for (const [name, pauseMs] of [["steps", STEP_MS] as const, ["burst", 0] as const]) {
    server.addTool({
      name,
      description: name,
      parameters: z.object({ count: z.number() }),
      execute: async ({ count }, { reportProgress }) => {
        for (let step = 1; step <= count; step += 1) {
          if (pauseMs > 0) await wait(pauseMs);
          await reportProgress({ progress: step, total: count });
        }
        if (pauseMs > 0) await wait(pauseMs);
        return `${count} steps`;
      },
    });
  }
  const hung = new HungCalls();
  server.addTool({ name: "hang", description: "hang", execute: (_args, { signal }) => hung.until(signal) });
  server.addTool({ name: "hung", description: "hung", execute: async () => hung.report() });
  server.addTool({
    name: "log",
    description: "log",
    execute: async (_args, { log }) => {
      log.warn("a warning");
      return "logged";
    },
  });
}

function addAskingTools(server: FastMCP): void {
  // A session over standard input and output has no id.
  const sessionOf = (id: string | undefined) => server.sessions.find(({ sessionId }) => sessionId === id);
  const form = (field: string) => ({
    message: `Your ${field}?`,
    requestedSchema: { type: "object" as const, properties: { [field]: { type: "string" as const } } },
  });
  server.addTool({
    name: "ask",
    description: "ask",
    execute: async (_args, { elicit }) => JSON.stringify(await elicit(form("name"))),
  });
  server.addTool({
    name: "ask-url",
    description: "ask",
    execute: async (_args, { elicit }) => {
      const page = {
        message: "Please sign in",
        url: "https://example.com/sign-in",
        elicitationId: crypto.randomUUID(),
      };
      return (await elicit({ mode: "url", ...page })).action;
    },
  });
  server.addTool({
    name: "sample",
    description: "sample",
    execute: async (_args, { sessionId }) => {
      const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Say something" } }];
      return JSON.stringify((await sessionOf(sessionId)?.requestSampling({ messages, maxTokens: 20 }))?.content);
    },
  });
  server.addTool({
    name: "roots",
    description: "roots",
    execute: async (_args, { sessionId }) => JSON.stringify(sessionOf(sessionId)?.roots),
  });
  server.addTool({
    name: "rounds",
    description: "rounds",
    execute: async (_args, { elicit }) => {
      const who = await elicit(form("name"));
      const favorite = await elicit(form("color"));
      return [who.content?.name, favorite.content?.color].join(", ");
    },
  });
}
