/** The load of one kind of client: lanes that call one tool after the other until the parent says `stop`. */
import { setTimeout as wait } from "node:timers/promises";
import { CLIENT_KINDS, type ClientKind } from "./clients/kinds.js";
import type { LoadClient } from "./clients/load-client.js";
import { historyWriter, type Tool } from "./history.js";
import { TOPICS } from "./replica-tools.js";

const PAUSE_MS = 20;
const CANCEL_AFTER_MS = 60;
/** A call that is not settled by then is recorded as such. */
const GIVE_UP_MS = 40_000;

const { KIND = "", URL: url = "", HISTORY = "", CLIENTS = "1", LANES = "2" } = process.env;
const write = historyWriter(HISTORY, `client-${KIND}`);
let isStopped = false;

async function run(name: string): Promise<void> {
  // The kind was one of them where this process was started.
  const connect = CLIENT_KINDS[KIND as ClientKind];
  const client = await connect(
    url,
    name,
    (call) => write({ kind: "answered again", call }),
    (number) => write({ kind: "stream event", client: name, number }),
  );
  if (client.watch) {
    await client.watch(TOPICS, (topic) => write({ kind: "heard", client: name, topic }));
    for (const topic of TOPICS) write({ kind: "subscribed", client: name, topic });
  }
  process.send?.("ready");
  await Promise.all(Array.from({ length: Number(LANES) }, (_, lane) => runLane(client, name, lane)));
  if (client.watch) for (const topic of TOPICS) write({ kind: "unsubscribed", client: name, topic });
  await Promise.race([client.close().catch(() => undefined), wait(2_000)]);
}

async function runLane(client: LoadClient, name: string, lane: number): Promise<void> {
  for (let count = lane; !isStopped; count += 1) {
    const tool = client.tools[count % client.tools.length] ?? "echo";
    await makeCall(client, name, tool, `${name}/${lane}/${count}`);
    await wait(PAUSE_MS);
  }
}

async function makeCall(client: LoadClient, name: string, tool: Tool, call: string): Promise<void> {
  const controller = new AbortController();
  // Some clients report their own steps of other calls in the same way.
  const hasEvents = tool === "count" || tool === "resume";
  const onEvent = (number: number, of: string) => {
    if (hasEvents) write({ kind: "event", call, of, number });
  };
  write({ kind: "asked", call, client: name, tool });
  const cancel = () => {
    write({ kind: "cancelled", call });
    controller.abort();
  };
  const timer = setTimeout(cancel, tool === "wait" ? CANCEL_AFTER_MS : GIVE_UP_MS / 2);
  const settled = client.call(tool, call, { signal: controller.signal, onEvent }).then(
    (content) => {
      const { call: answers = "nothing", run: made = "none" } = (content ?? {}) as { call?: string; run?: string };
      write({ kind: "answered", call, answers, run: made });
    },
    (error: unknown) => write({ kind: "failed", call, verdict: client.verdictOf(error), error: textOf(error) }),
  );
  await Promise.race([settled, wait(GIVE_UP_MS)]);
  clearTimeout(timer);
}

function textOf(error: unknown): string {
  const { name = "", code = "", message = "" } = (error ?? {}) as { name?: string; code?: unknown; message?: string };
  return `${name} ${code} ${message}`.slice(0, 300);
}

process.on("message", (message) => {
  if (message === "stop") isStopped = true;
});
process.on("disconnect", () => process.exit());
await Promise.all(Array.from({ length: Number(CLIENTS) }, (_, index) => run(`${KIND}-${index + 1}`)));
process.exit(0);
