/** A server written with tmcp. */
import { setTimeout as wait } from "node:timers/promises";
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { McpServer } from "tmcp";
import { z } from "zod";
import { HungCalls, STEP_MS } from "../exhibit.js";

const hung = new HungCalls();
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

function emptyServer() {
  const listChanged = true;
  return new McpServer(
    { name: "tmcp", version: "1.0.0", description: "interop" },
    {
      adapter: new ZodJsonSchemaAdapter(),
      capabilities: {
        logging: {},
        completions: {},
        tools: { listChanged },
        prompts: { listChanged },
        resources: { listChanged, subscribe: true },
      },
      pagination: { tools: { size: 5 } },
    },
  );
}

type TmcpServer = ReturnType<typeof emptyServer>;

export function tmcpServer(): TmcpServer {
  const server = emptyServer();
  addPlainTools(server);
  addStreamingTools(server);
  addAskingTools(server);
  server.resource({ name: "today", description: "today", uri: "note://today" }, (uri) => ({
    contents: [{ uri, text: "rain" }],
  }));
  server.template({ name: "by-day", description: "by day", uri: "note://by-day/{day}" }, (uri, { day }) => ({
    contents: [{ uri, text: `on ${String(day)}` }],
  }));
  const complete = {
    who: (typed: string) => ({ completion: { values: ["ada", "bob"].filter((person) => person.startsWith(typed)) } }),
  };
  const greet = { name: "greet", description: "greet", schema: z.object({ who: z.string() }), complete };
  server.prompt(greet, ({ who }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${who}` } }],
  }));
  return server;
}

function addPlainTools(server: TmcpServer): void {
  const echo = { name: "echo", description: "echo", schema: z.object({ text: z.string() }) };
  server.tool(echo, (args) => text(args.text));
  const numbers = z.object({ a: z.number(), b: z.number() });
  server.tool(
    { name: "sum", description: "sum", schema: numbers, outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
  );
  server.tool({ name: "fail", description: "fail" }, () => ({ ...text("it broke"), isError: true }));
  server.tool({ name: "grow", description: "grow" }, () => {
    server.tool({ name: `grown-${crypto.randomUUID()}`, description: "grown" }, () => text("new"));
    return text("grown");
  });
  server.tool({ name: "touch", description: "touch" }, () => {
    server.changed("resource", "note://today");
    return text("touched");
  });
}

function addStreamingTools(server: TmcpServer): void {
  const report = async (steps: number, pauseMs: number) => {
    for (let step = 1; step <= steps; step += 1) {
      if (pauseMs > 0) await wait(pauseMs);
      server.progress(step, steps);
    }
    if (pauseMs > 0) await wait(pauseMs);
    return text(`${steps} steps`);
  };
  const schema = z.object({ count: z.number() });
  server.tool({ name: "steps", description: "steps", schema }, ({ count }) => report(count, STEP_MS));
  server.tool({ name: "burst", description: "burst", schema }, ({ count }) => report(count, 0));
  server.tool({ name: "hang", description: "hang" }, async () =>
    text(await hung.until(server.ctx.signal ?? new AbortController().signal)),
  );
  server.tool({ name: "hung", description: "hung" }, () => text(hung.report()));
  server.tool({ name: "log", description: "log" }, () => {
    server.log("warning", "a warning");
    return text("logged");
  });
}

function addAskingTools(server: TmcpServer): void {
  const name = z.object({ name: z.string() });
  server.tool({ name: "ask", description: "ask", replayable: true }, async () =>
    text(JSON.stringify(await server.elicitation("Your name?", name))),
  );
  server.tool({ name: "ask-url", description: "ask", replayable: true }, async () => {
    const { action } = await server.elicitation("Please sign in", "https://example.com/sign-in");
    return text(action);
  });
  server.tool({ name: "sample", description: "sample", replayable: true }, async () => {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Say something" } }];
    return text(JSON.stringify((await server.message({ messages, maxTokens: 20 })).content));
  });
  server.tool({ name: "roots", description: "roots" }, async () => {
    await server.refreshRoots();
    return text(JSON.stringify(server.roots));
  });
  server.tool({ name: "rounds", description: "rounds", replayable: true }, async () => {
    const who = await server.elicitation("Your name?", name);
    const favorite = await server.elicitation("Your color?", z.object({ color: z.string() }));
    return text([who.content?.name, favorite.content?.color].join(", "));
  });
}
