/** Exchanges kept as lines of JSON, and targets that answer from them. Secrets are masked before anything is kept. */
import type { Revision } from "parley-requirements";
import type { StreamEvent } from "../wire/event-stream.js";
import type { HttpExchangeRequest, HttpOutcome } from "../wire/http-exchange.js";
import { isObject, type JsonObject, parseJson } from "../wire/json-rpc.js";
import type { OpenPipe } from "../wire/line-process.js";
import type { ExchangeHttp } from "./url-target.js";

/** The first line of a recording. */
export interface RecordedRun {
  readonly kind: "http" | "sse" | "stdio";
  readonly target: string;
  /** Headers of every request, masked. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isProtected: boolean;
  /** Options of the run, which a replay takes over. */
  readonly options?: RecordedOptions;
}

export interface RecordedOptions {
  readonly only: readonly string[];
  readonly revisions?: readonly Revision[];
  readonly calls: readonly { readonly name: string; readonly arguments: JsonObject }[];
  readonly allowCalls: boolean;
  readonly isFixture: boolean;
}

export type KeepLine = (line: string) => void;

export function recordedHttp(exchange: ExchangeHttp, keep: KeepLine): ExchangeHttp {
  return async (call, options) => {
    const outcome = await exchange(call, options);
    keep(JSON.stringify({ call, outcome }));
    return outcome;
  };
}

/** Exchanges of HTTP+SSE. Events are kept when they arrive, so that a replay knows which request they followed. */
export function recordedSse(exchange: ExchangeHttp, keep: KeepLine): ExchangeHttp {
  let count = 0;
  return async (call, options) => {
    count += 1;
    const number = count;
    keep(JSON.stringify({ exchange: number, call }));
    const { onEvent } = options;
    const told = (event: StreamEvent) => {
      keep(JSON.stringify({ exchange: number, event }));
      onEvent?.(event);
    };
    const outcome = await exchange(call, onEvent ? { ...options, onEvent: told } : options);
    keep(JSON.stringify({ exchange: number, outcome }));
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
  if (!isObject(first) || !["http", "sse", "stdio"].includes(String(first.kind))) {
    throw new Error("This is no recording of parley-check --record");
  }
  const kept = entries.filter(isObject);
  const exchange = first.kind === "sse" ? replayedSse(kept) : replayedHttp(kept);
  return { run: first as unknown as RecordedRun, exchange, openPipe: replayedPipe(kept) };
}

function replayedHttp(entries: readonly Record<string, unknown>[]): ExchangeHttp {
  const outcomes = new Map<string, HttpOutcome[]>();
  for (const { call, outcome } of entries) {
    const key = JSON.stringify(call);
    outcomes.set(key, [...(outcomes.get(key) ?? []), outcome as HttpOutcome]);
  }
  return async (call: HttpExchangeRequest, { isLast }) => {
    const [next] = outcomes.get(JSON.stringify(call))?.splice(0, 1) ?? [];
    // Checks answer the requests of a server when they see them.
    for (const event of next?.events ?? []) isLast?.(event);
    return next ?? NOT_RECORDED;
  };
}

const NOT_RECORDED: HttpOutcome = {
  status: undefined,
  headers: {},
  text: "",
  events: [],
  ending: "broken",
  reason: "this exchange is not in the recording",
};

/** An exchange of HTTP+SSE in a recording, with the events that came before the next exchange began. */
interface RecordedExchange {
  readonly key: string;
  readonly number: unknown;
  readonly followedBy: { readonly stream: unknown; readonly event: StreamEvent }[];
  outcome: HttpOutcome;
}

function replayedSse(entries: readonly Record<string, unknown>[]): ExchangeHttp {
  const exchanges: RecordedExchange[] = [];
  for (const { exchange: number, call, event, outcome } of entries) {
    if (call !== undefined)
      exchanges.push({ key: JSON.stringify(call), number, followedBy: [], outcome: NOT_RECORDED });
    if (event !== undefined) exchanges.at(-1)?.followedBy.push({ stream: number, event: event as StreamEvent });
    const ended = outcome === undefined ? undefined : exchanges.find((item) => item.number === number);
    if (ended) ended.outcome = outcome as HttpOutcome;
  }
  const streams = new Map<unknown, (event: StreamEvent) => void>();
  return async (call, { onEvent, stop }) => {
    const at = exchanges.findIndex(({ key }) => key === JSON.stringify(call));
    const [found] = at < 0 ? [] : exchanges.splice(at, 1);
    if (!found) return NOT_RECORDED;
    if (onEvent) streams.set(found.number, onEvent);
    queueMicrotask(() => {
      for (const { stream, event } of found.followedBy) streams.get(stream)?.(event);
    });
    const isOpen = onEvent !== undefined && stop !== undefined && !stop.aborted;
    // A stream of the recording stays open until the replay closes it.
    if (isOpen) await new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
    return found.outcome;
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
