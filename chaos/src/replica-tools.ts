/** The tools that clients call under faults. Each answer names its call, and the run of the handler that made it. */
import { setTimeout as wait } from "node:timers/promises";
import type { McpServer, ServerContext } from "parley-mcp/server";
import { z } from "zod";
import type { Write } from "./history.js";

export const TOPICS = ["chaos://topic/1", "chaos://topic/2"] as const;
const EVENTS = 8;
const STEP_MS = 15;
const WORK_MS = 150;
/** Longer than a client waits that gives its call up. */
const WAIT_MS = 30_000;

const input = z.object({ call: z.string() });
const output = z.object({ call: z.string(), run: z.string() });

type Work = (call: string, context: ServerContext, run: string) => Promise<number> | number;

/** `Work` returns the number of events that it sent. */
export function registerTools(server: McpServer, replica: string, write: Write): void {
  let runs = 0;
  const handler = (work: Work) => async (args: { call: string }, context: ServerContext) => {
    const { call } = args;
    runs += 1;
    const run = `${replica}-${process.pid}-${runs}`;
    const client = context.caller?.principal ?? "";
    context.signal.addEventListener("abort", () => write({ kind: "stopped", call, run, replica }), { once: true });
    write({ kind: "began", call, client, run, replica });
    const events = await work(call, context, run);
    write({ kind: "ran", call, run, replica, events });
    return { call, run };
  };

  server.tool(
    "echo",
    { input, output },
    handler(() => 0),
  );
  server.tool(
    "count",
    { input, output },
    handler((call, context) => count(call, context)),
  );
  server.tool(
    "resume",
    { input, output },
    handler((call, context) => count(call, context, EVENTS / 2)),
  );
  server.tool(
    "wait",
    { input, output },
    handler(async (_call, { signal }) => wait(WAIT_MS, 0, { signal })),
  );
  server.tool(
    "ask",
    { input, output },
    handler(async (call, context) => {
      const schema = z.object({ answer: z.string() });
      const { content } = await context.elicit({ message: call, schema });
      // The answer of another call would be told as this call's.
      if (content?.answer !== call) throw new Error(`The answer to ${call} was ${content?.answer}`);
      return 0;
    }),
  );
  const task = { mode: "optional", pollIntervalMs: 200, rerun: true } as const;
  server.tool(
    "work",
    { input, output, task },
    handler(async (call, context, run) => {
      await wait(WORK_MS);
      await context.once("effect", () => write({ kind: "effect", call, run, replica }));
      return wait(WORK_MS, 0);
    }),
  );
  server.tool(
    "change",
    { input, output },
    handler((call) => {
      const topic = TOPICS[call.length % TOPICS.length] ?? TOPICS[0];
      server.announce.resourceUpdated(topic);
      return 0;
    }),
  );
  for (const topic of TOPICS) server.resource(topic, { name: topic.replace(/\W/g, "-") }, () => replica);
}

/** Sends events, and closes the stream after `closeAfter` of them. The client resumes it, at any replica. */
async function count(call: string, context: ServerContext, closeAfter?: number): Promise<number> {
  for (let number = 1; number <= EVENTS; number += 1) {
    await context.progress(number, EVENTS, call);
    if (number === closeAfter) context.closeStream();
    await wait(STEP_MS, 0, { signal: context.signal });
  }
  return EVENTS;
}
