/** Our own server, with something to show for every feature. */
import { McpServer, type ServerContext, ToolError } from "parley-mcp/server";
import { z } from "zod";
import { HungCalls, STEP_MS } from "../exhibit.js";

const name = z.object({ name: z.string() });
const count = z.object({ count: z.number() });

/** Runtimes other than Node serve this, too. */
const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

export function ourServer(): McpServer {
  const server = new McpServer({
    name: "interop",
    version: "1.0.0",
    pageSize: 5,
    capabilities: { logging: {} },
    onError: () => undefined,
  });
  addPlainTools(server);
  addStreamingTools(server);
  addAskingTools(server);
  server.resource("note://today", { name: "today", mimeType: "text/plain" }, () => "rain");
  server.resourceTemplate("note://by-day/{day}", { name: "by-day" }, ({ variables }) => `on ${variables.day}`);
  const people = ["ada", "bob"];
  server.prompt(
    "greet",
    {
      input: z.object({ who: z.string() }),
      complete: { who: (typed) => people.filter((person) => person.startsWith(typed)) },
    },
    ({ who }) => `Greet ${who}`,
  );
  return server;
}

function addPlainTools(server: McpServer): void {
  server.tool("echo", { input: z.object({ text: z.string() }) }, ({ text }) => text);
  server.tool(
    "sum",
    { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ sum: a + b }),
  );
  server.tool("fail", {}, () => {
    throw new ToolError("it broke");
  });
  let grown = 0;
  server.tool("grow", {}, () => {
    grown += 1;
    server.tool(`grown-${grown}`, {}, () => "new");
    return "grown";
  });
  server.tool("touch", {}, () => {
    server.announce.resourceUpdated("note://today");
    return "touched";
  });
}

function addStreamingTools(server: McpServer): void {
  const report = async (steps: number, pauseMs: number, context: ServerContext) => {
    for (let step = 1; step <= steps; step += 1) {
      if (pauseMs > 0) await wait(pauseMs);
      await context.progress(step, steps);
    }
    if (pauseMs > 0) await wait(pauseMs);
    return `${steps} steps`;
  };
  server.tool("steps", { input: count }, ({ count: steps }, context) => report(steps, STEP_MS, context));
  server.tool("burst", { input: count }, ({ count: steps }, context) => report(steps, 0, context));
  const hung = new HungCalls();
  server.tool("hang", {}, (_args, context) => hung.until(context.signal));
  server.tool("hung", {}, () => hung.report());
  server.tool("log", {}, (_args, context) => {
    context.log.warning("a warning");
    return "logged";
  });
}

function addAskingTools(server: McpServer): void {
  server.tool("ask", {}, async (_args, context) => {
    const answer = await context.elicit({ message: "Your name?", schema: name });
    return JSON.stringify(answer);
  });
  server.tool("ask-url", {}, async (_args, context) => {
    const { action } = await context.elicit({ message: "Please sign in", url: "https://example.com/sign-in" });
    return action;
  });
  server.tool("sample", {}, async (_args, context) => {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Say something" } }];
    return JSON.stringify((await context.sample({ messages, maxTokens: 20 })).content);
  });
  server.tool("roots", {}, async (_args, context) => JSON.stringify(await context.listRoots()));
  server.tool("rounds", {}, async (_args, context) => {
    const [who, roots] = await Promise.all([
      context.elicit({ message: "Your name?", schema: name }),
      context.listRoots(),
    ]);
    const favorite = await context.elicit({ message: "Your color?", schema: z.object({ color: z.string() }) });
    const answers = [who.action === "accept" && who.content.name, roots[0]?.uri];
    return [...answers, favorite.action === "accept" && favorite.content.color].join(", ");
  });
}
