/** A server on a pair of byte streams: every request is answered once, under its id, and noise ends nothing. */
import { isUtf8 } from "node:buffer";
import { PassThrough } from "node:stream";
import { StreamConnection } from "../../../packages/sdk/src/hosting/node/stream-connection.js";
import { classify } from "../../../packages/sdk/src/wire/classify.js";
import { parseJson } from "../../../packages/sdk/src/wire/json-text.js";
import { INITIALIZE, MESSAGE_TEXTS, MESSAGES } from "../messages.js";
import { mutateJson } from "../mutate-json.js";
import { AWKWARD_BYTES, mutateText } from "../mutate-text.js";
import type { Random } from "../random.js";
import { requireAnswer, requireNoCrash, served, within } from "../served.js";
import { demand, field, pieces, randomCuts, type Target, toBytes, utf8 } from "../target.js";

const DEADLINE_MS = 5_000;
const MAX_LINE_BYTES = 5_000;
/** Comes last, and so its answer shows that everything before it has been read. */
const LAST = { jsonrpc: "2.0", id: "the last", method: "ping" };

interface Sent {
  readonly id: string | number;
  /** One that is answered sooner or later, which a stream of changes is not. */
  readonly isRequest: boolean;
  readonly method: string | undefined;
}

export const streamServer: Target = {
  name: "stream-server",
  share: 20,
  maxMs: 1_000,
  outcomes: ["all answered", "some noise"],
  generate(random) {
    const messages = random.list(1, 4, () => line(random));
    const text = (random.oneIn(4) ? [] : [utf8(JSON.stringify(INITIALIZE))]).concat(messages).join("\n");
    return { bytes: text, cuts: randomCuts(random, text.length) };
  },
  async check(input) {
    const { server, reports } = served();
    const [toServer, fromServer] = [new PassThrough(), new PassThrough()];
    const limits = { maxLineBytes: MAX_LINE_BYTES, graceMs: 1_000 };
    const connection = await StreamConnection.open(server, {
      input: toServer,
      output: fromServer,
      onUnreadable: "answer",
      ...limits,
    });
    const answers: Record<string, unknown>[] = [];
    const isDone = readAnswers(fromServer, answers);
    const bytes = toBytes(`${field(input, "bytes")}\n${JSON.stringify(LAST)}\n`);
    for (const piece of pieces(bytes, field(input, "cuts"))) toServer.write(piece);
    await within(DEADLINE_MS, "the answer to a ping", isDone);
    toServer.end();
    await within(DEADLINE_MS, "closing", connection.closed);
    for (const answer of answers) if (answer.method === undefined) requireAnswer(answer);
    requireNoCrash(reports);
    return checkIds(field(input, "bytes"), answers) ? "all answered" : "some noise";
  },
};

function line(random: Random): string {
  if (random.oneIn(6)) return mutateText(random, utf8(random.pick(MESSAGE_TEXTS)), AWKWARD_BYTES);
  return utf8(JSON.stringify(random.oneIn(4) ? random.pick(MESSAGES) : mutateJson(random, random.pick(MESSAGES))));
}

/** Gathers answers for as long as there are any; settles once the last request has its own. */
function readAnswers(stream: PassThrough, answers: Record<string, unknown>[]): Promise<void> {
  let rest = "";
  return new Promise((resolve) => {
    stream.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) {
        // A batch is answered with a batch.
        for (const answer of [JSON.parse(text)].flat()) answers.push(answer as Record<string, unknown>);
      }
      if (answers.some(({ id }) => id === LAST.id)) resolve();
    });
  });
}

/** Whether each request has its answer, and nothing has one that was not asked for. */
function checkIds(text: string, answers: readonly Record<string, unknown>[]): boolean {
  const sent = text.split("\n").flatMap((part) => idsIn(toBytes(part)));
  const ids = answers.filter(({ method, id }) => method === undefined && id !== undefined).map(({ id }) => id);
  const count = (id: unknown) => ids.filter((other) => String(other) === String(id)).length;
  for (const id of ids) {
    const asked = sent.filter((one) => String(one.id) === String(id)).length + (id === LAST.id ? 1 : 0);
    demand(count(id) <= asked, "answers nothing unasked, and nothing twice", () => `${JSON.stringify(id)} of ${text}`);
  }
  // What is cancelled is not answered, and neither is what another handshake aborts.
  const lastHandshake = sent.findLastIndex(({ method }) => method === "initialize");
  const isCancelling = text.includes("notifications/cancelled");
  for (const [index, { id, isRequest }] of sent.entries()) {
    const mayLack = isCancelling || index < lastHandshake;
    demand(!isRequest || mayLack || count(id) > 0, "answers every request", () => `${JSON.stringify(id)} of ${text}`);
  }
  return sent.length > 0 && sent.every(({ isRequest }) => isRequest);
}

/** The ids of a line that can be read, however broken the rest of it is. */
function idsIn(bytes: Uint8Array): Sent[] {
  const parsed = isUtf8(bytes) && bytes.length <= MAX_LINE_BYTES ? parseJson(Buffer.from(bytes).toString()) : undefined;
  if (!parsed?.ok) return [];
  return [parsed.value].flat().flatMap((item: unknown) => {
    if (typeof item !== "object" || item === null || !("id" in item)) return [];
    const message = classify(item);
    const method = message.kind === "request" ? message.message.method : undefined;
    const isRequest = method !== undefined && method !== "subscriptions/listen";
    const { id } = item;
    const isId = typeof id === "string" || typeof id === "number";
    return isId ? [{ id, isRequest: isRequest && !Array.isArray(parsed.value), method }] : [];
  });
}
