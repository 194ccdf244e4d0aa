/** Reads the JSON value of a request body, from text, bytes or a parsed value, and limits bodies while they arrive. */
import { limitReached } from "../../errors/limit-reached.js";
import type { ProtocolError } from "../../errors/protocol-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import type { LimitLevel, Quota } from "../../runtime/quota.js";
import { TimeoutQueue } from "../../runtime/timeout-queue.js";
import { excessOfValue } from "../../wire/json-limits.js";
import { parseJson } from "../../wire/json-text.js";
import { limitRefusal } from "./error-status.js";
import type { HttpLimits } from "./http-options.js";
import { HttpRefusal } from "./http-refusal.js";

/** Stops reading a body and refuses its request. */
export type RefuseBody = (refusal: HttpRefusal) => void;

/** Bodies that are still arriving. Each has a time limit, and their bytes count for their principals. */
export class ArrivingBodies {
  readonly #deadlines: TimeoutQueue<RefuseBody>;
  readonly #bytes: Quota;

  constructor(timeoutMs: number, bytes: Quota) {
    this.#deadlines = new TimeoutQueue(timeoutMs, (refuse) => refuse(tooSlow(timeoutMs)));
    this.#bytes = bytes;
  }

  /** Starts the time limit of a body. */
  begin(refuse: RefuseBody): void {
    this.#deadlines.add(refuse);
  }

  /** Ends the time limit of a body. */
  end(refuse: RefuseBody): void {
    this.#deadlines.remove(refuse);
  }

  /** Counts bytes that have arrived. Returns a refusal, and counts nothing, if they exceed a limit. */
  grow(principal: string | undefined, bytes: number): HttpRefusal | undefined {
    const full = this.#bytes.fullLevel(principal, bytes);
    if (full) return noRoomForBody(full);
    this.#bytes.take(principal, bytes);
    return undefined;
  }

  /** Subtracts bytes that were counted. */
  shrink(principal: string | undefined, bytes: number): void {
    if (bytes > 0) this.#bytes.take(principal, -bytes);
  }
}

function noRoomForBody(level: LimitLevel): HttpRefusal {
  return limitRefusal(limitReached(level, `Too many bytes arrive for this ${level}`), { connection: "close" });
}

export function tooManyWaiting(): HttpRefusal {
  return limitRefusal(limitReached("server", "Too many requests wait to be served"));
}

/** Fails on invalid bytes. Keeps a byte order mark, which the parser refuses. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The JSON value of a text, of bytes, or of a parsed body. @throws {HttpRefusal} 400 for invalid JSON, or over a limit. */
export function messageOf(body: unknown, limits: HttpLimits): unknown {
  if (typeof body === "string") return parse(body, limits);
  if (body instanceof Uint8Array) return parse(decodeBody(body), limits);
  const excess = excessOfValue(body, limits);
  if (excess) throw badRequest(excess);
  return body;
}

/** @throws {HttpRefusal} 400 for bytes that are not UTF-8. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalidUtf8();
  }
}

export function invalidUtf8(): HttpRefusal {
  return new HttpRefusal(400, { code: ErrorCode.parseError, message: "Parse error: the body is not valid UTF-8" });
}

export function tooSlow(timeoutMs: number): HttpRefusal {
  const message = `The body must arrive within ${timeoutMs} ms`;
  return new HttpRefusal(408, { message, headers: { connection: "close" } });
}

function parse(text: string, limits: HttpLimits): unknown {
  const parsed = parseJson(text, limits);
  if (parsed.ok) return parsed.value;
  throw badRequest(parsed.error);
}

function badRequest({ code, message }: ProtocolError): HttpRefusal {
  return new HttpRefusal(400, { code, message });
}
