/** Exchanges kept as lines of JSON, and targets that answer from them. Secrets are masked before anything is kept. */
import type { HttpExchangeRequest, HttpOutcome } from "../wire/http-exchange.js";
import { isObject, parseJson } from "../wire/json-rpc.js";
import type { OpenPipe } from "../wire/line-process.js";
import type { ExchangeHttp } from "./url-target.js";

/** The first line of a recording. */
export interface RecordedRun {
  readonly kind: "http" | "stdio";
  readonly target: string;
  /** Headers of every request, masked. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isProtected: boolean;
}

export type KeepLine = (line: string) => void;

/** How a masked secret is written. */
const MASK = "***";

export function maskSecrets(text: string, secrets: readonly string[]): string {
  const escaped = secrets.filter((secret) => secret !== "").map((secret) => JSON.stringify(secret).slice(1, -1));
  return escaped.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}

export function recordedHttp(exchange: ExchangeHttp, keep: KeepLine): ExchangeHttp {
  return async (call, options) => {
    const outcome = await exchange(call, options);
    keep(JSON.stringify({ call, outcome }));
    return outcome;
  };
}

export function recordedPipe(open: OpenPipe, keep: KeepLine): OpenPipe {
  let count = 0;
  return ({ onLine, onLongLine, onEnd }) => {
    count += 1;
    const pipe = count;
    const inner = open({
      onLine: (line) => {
        keep(JSON.stringify({ pipe, line }));
        onLine(line);
      },
      onLongLine: () => {
        keep(JSON.stringify({ pipe, isLong: true }));
        onLongLine?.();
      },
      onEnd: (how) => {
        keep(JSON.stringify({ pipe, end: how }));
        onEnd(how);
      },
    });
    return {
      ...inner,
      write: (text) => {
        keep(JSON.stringify({ pipe, write: text }));
        inner.write(text);
      },
    };
  };
}

/** A recording, read line by line. */
export interface Recording {
  readonly run: RecordedRun;
  readonly exchange: ExchangeHttp;
  readonly openPipe: OpenPipe;
}

/** @throws {Error} if the text is no recording. */
export function parseRecording(text: string): Recording {
  const [first, ...entries] = text
    .split("\n")
    .filter((line) => line !== "")
    .map(parseJson);
  if (!isObject(first) || (first.kind !== "http" && first.kind !== "stdio")) {
    throw new Error("This is no recording of parley-check --record");
  }
  const kept = entries.filter(isObject);
  return { run: first as unknown as RecordedRun, exchange: replayedHttp(kept), openPipe: replayedPipe(kept) };
}

function replayedHttp(entries: readonly Record<string, unknown>[]): ExchangeHttp {
  const outcomes = new Map<string, HttpOutcome[]>();
  for (const { call, outcome } of entries) {
    const key = JSON.stringify(call);
    outcomes.set(key, [...(outcomes.get(key) ?? []), outcome as HttpOutcome]);
  }
  return async (call: HttpExchangeRequest) => {
    const [next] = outcomes.get(JSON.stringify(call))?.splice(0, 1) ?? [];
    return (
      next ?? {
        status: undefined,
        headers: {},
        text: "",
        events: [],
        ending: "broken",
        reason: "this exchange is not in the recording",
      }
    );
  };
}

/** Answers each write with the lines that followed it in the recording. */
function replayedPipe(entries: readonly Record<string, unknown>[]): OpenPipe {
  let count = 0;
  return ({ onLine, onLongLine, onEnd }) => {
    count += 1;
    const events = entries.filter(({ pipe }) => pipe === count);
    const deliver = () => {
      while (events.length > 0 && !("write" in (events[0] ?? {}))) {
        const event = events.shift();
        if (typeof event?.line === "string") onLine(event.line);
        if (event?.isLong === true) onLongLine?.();
        if (typeof event?.end === "string") onEnd(event.end);
      }
    };
    queueMicrotask(deliver);
    return {
      write: () => {
        events.shift();
        queueMicrotask(deliver);
      },
      endInput: () => queueMicrotask(deliver),
      kill: () => undefined,
    };
  };
}
