/** Event streams read by ours, by a plain reading of the whole, and by another library: one result. */
import { isUtf8 } from "node:buffer";
import { createParser } from "eventsource-parser";
import { SdkError } from "../../../packages/sdk/src/errors/sdk-error.js";
import { SseDecoder } from "../../../packages/sdk/src/wire/sse-decoder.js";
import { AWKWARD_BYTES, mutateText } from "../mutate-text.js";
import type { Random } from "../random.js";
import {
  demand,
  demandEqual,
  field,
  pieces,
  randomCuts,
  singly,
  type Target,
  toBytes,
  utf8,
  Violation,
} from "../target.js";

interface Reading {
  readonly events: { readonly type: string; readonly data: string }[];
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
  readonly error: string | undefined;
}

const LINES: readonly string[] = [
  ...["", "", "", "data", "data:", "data: x", "data:  y", 'data: {"jsonrpc":"2.0"}', "data: 世界 😀", "data: a:b"],
  ...[
    "event: message",
    "event: endpoint",
    "event",
    "event:",
    "id: 7",
    "id",
    "id: ",
    "id: a\0b",
    "id: é",
    ": note",
    ":",
  ],
  ...["retry: 1500", "retry: -1", "retry: 1.5", "retry", "retry: 007", "foo: 1", "Data: x", " data: x", "data : x"],
];

const TOKENS: readonly string[] = [...AWKWARD_BYTES, "data: ", "id: ", "event: ", "retry: 1", ":", "data\n\n"];

export const eventStreams: Target = {
  name: "event-streams",
  share: 120,
  maxMs: 100,
  outcomes: ["events", "no events", "too-large", "invalid-message"],
  generate(random) {
    const whole = utf8((random.oneIn(6) ? "\ufeff" : "") + lines(random));
    const bytes = random.oneIn(3) ? whole : mutateText(random, whole, TOKENS);
    return { bytes, cuts: randomCuts(random, bytes.length), limit: String(random.oneIn(2) ? 1e6 : random.below(60)) };
  },
  check(input) {
    const bytes = toBytes(field(input, "bytes"));
    const limit = Number(field(input, "limit"));
    const expected = expectedReading(bytes, limit);
    const whole = read([bytes], limit);
    const cut = read(pieces(bytes, field(input, "cuts")), limit);
    const single = read(singly(bytes), limit);
    for (const reading of [whole, cut, single]) {
      if (expected.error !== undefined) requireRefusal(reading, expected);
      else demandEqual(reading, expected, "reads the stream as the standard does, however it is cut");
    }
    if (expected.error !== undefined) return String(whole.error);
    requireAgreement(Buffer.from(bytes).toString(), expected);
    return expected.events.length > 0 ? "events" : "no events";
  },
};

function lines(random: Random): string {
  return random.list(0, 12, () => random.pick(LINES) + random.pick(["\n", "\n", "\r\n", "\r"])).join("");
}

function read(chunks: readonly Uint8Array[], limit: number): Reading {
  const decoder = new SseDecoder(limit);
  const events: Reading["events"] = [];
  let error: string | undefined;
  try {
    for (const chunk of chunks) events.push(...decoder.decode(chunk));
  } catch (thrown) {
    if (!(thrown instanceof SdkError)) throw thrown;
    error = thrown.code;
  }
  return { events, id: decoder.lastEventId, retryMs: decoder.retryMs, error };
}

/** Which of two faults is met first, and how many events come before it, depends on the cut; that there is one does not. */
function requireRefusal(reading: Reading, { events }: Reading): void {
  if (reading.error !== "too-large" && reading.error !== "invalid-message") {
    throw new Violation("refuses what is too large or no UTF-8, however it is cut", JSON.stringify(reading));
  }
  demandEqual(reading.events, events.slice(0, reading.events.length), "delivers nothing wrong before it refuses");
}

/** The algorithm of the standard over the whole text, with the limit of ours. */
function expectedReading(bytes: Uint8Array, limit: number): Reading {
  const events: Reading["events"] = [];
  let [id, pendingId, retryMs, type]: (string | undefined)[] = [];
  let data: string[] = [];
  let dataBytes = 0;
  const sound = soundPart(bytes);
  const rows = sound.text
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
    .split("\n");
  const unfinished = rows.at(-1) ?? "";
  for (const [index, row] of rows.entries()) {
    const rowBytes = Buffer.byteLength(row);
    if (dataBytes + rowBytes > limit) return { events, id, retryMs: undefined, error: "too-large" };
    if (index === rows.length - 1) break;
    if (row === "") {
      if (pendingId !== undefined) id = pendingId || undefined;
      if (data.length > 0) events.push({ type: type || "message", data: data.join("\n") });
      [data, dataBytes, type, pendingId] = [[], 0, undefined, undefined];
      continue;
    }
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(row) ?? [];
    if (name === "data") {
      data.push(value);
      dataBytes += rowBytes;
    }
    if (name === "event") type = value;
    if (name === "id" && !value.includes("\0")) pendingId = value;
    if (name === "retry" && /^[0-9]+$/.test(value)) retryMs = value;
  }
  if (!sound.isWhole) return { events, id, retryMs: undefined, error: "invalid-message" };
  demand(!unfinished.includes("\n"), "the reference splits all lines", () => unfinished);
  return { events, id, retryMs: retryMs === undefined ? undefined : Number(retryMs), error: undefined };
}

/** What can be read until bytes come that are no UTF-8. A character that is cut off at the end may still be completed. */
function soundPart(bytes: Uint8Array): { readonly text: string; readonly isWhole: boolean } {
  if (isUtf8(bytes)) return { text: Buffer.from(bytes).toString(), isWhole: true };
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  try {
    for (const [index] of bytes.entries()) text += decoder.decode(bytes.subarray(index, index + 1), { stream: true });
  } catch {
    return { text, isWhole: false };
  }
  return { text, isWhole: true };
}

/** The other library takes text, in which it looks for the bytes of a byte order mark and waits after a CR for its LF. */
function requireAgreement(whole: string, { events }: Reading): void {
  const text = whole.replace(/^\ufeff/, "");
  if (/^\xef\xbb\xbf|\r$|\ufffd/.test(text)) return;
  const others: Reading["events"] = [];
  createParser({ onEvent: ({ event, data }) => others.push({ type: event || "message", data }) }).feed(text);
  demandEqual(events, others, "agrees with eventsource-parser");
}
