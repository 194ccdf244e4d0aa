/** Parses lines of a byte stream as messages. Detects lines that are no message, such as log lines. */
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { JsonLimits } from "../wire/json-limits.js";
import type { RequestId } from "../wire/json-rpc.js";
import { parseJson } from "../wire/json-text.js";
import type { DecodedLine, TooLongLine } from "../wire/line-decoder.js";

/**
 * Handling of a line that is no message. `answer` answers it with an error, as a server does. `answer-and-end` also ends
 * the connection. `report` skips it, as a client must.
 */
export type OnUnreadable = "answer" | "answer-and-end" | "report";

export type MessageLine =
  | { readonly ok: true; readonly message: unknown; readonly length: number }
  /** `answers` is the id of the request that the line answers, if it can be read. */
  | { readonly ok: false; readonly error: Error; readonly answers?: RequestId | undefined };

const SHOWN_LENGTH = 120;
const SHORTEST_MESSAGE = '{"jsonrpc":"2.0","id":1}';
const NO_MESSAGE = new ProtocolError(ErrorCode.parseError, "Parse error: the line is no JSON-RPC message");

/** Limit of consecutive lines that are no message. At the limit, a server stops reading, and a client stops reporting. */
const MAX_UNREADABLE = 1_000;
const TOO_MANY = `${MAX_UNREADABLE} lines in a row are no message`;
const FLOOD = new ProtocolError(ErrorCode.parseError, `Parse error: ${TOO_MANY}; the connection ends`);
const SILENCED = new SdkError(
  "invalid-message",
  `The server wrote lines that are no message: ${TOO_MANY}; those up to the next message are skipped without a report`,
);

/** Reads the lines of one connection, and counts consecutive lines that are no message. */
export class MessageLineReader {
  readonly #onUnreadable: OnUnreadable;
  readonly #limits: JsonLimits | undefined;
  #unreadable = 0;

  constructor(onUnreadable: OnUnreadable, limits?: JsonLimits) {
    this.#onUnreadable = onUnreadable;
    this.#limits = limits;
  }

  /** True once no further line must be read. */
  get isOver(): boolean {
    if (this.#onUnreadable === "report") return false;
    return this.#unreadable >= (this.#onUnreadable === "answer" ? MAX_UNREADABLE : 1);
  }

  /** Undefined for a line that is skipped without a report. */
  read(line: DecodedLine): MessageLine | undefined {
    // A program may write hundreds of thousands of log lines per second, and parsing a line costs more than decoding it.
    if (this.#isSilenced && !mayBeMessage(line)) return undefined;
    const read = readMessageLine(line, this.#onUnreadable, this.#limits);
    if (read.ok && !isNoise(read.message)) {
      this.#unreadable = 0;
      return read;
    }
    this.#unreadable += 1;
    if (this.#unreadable < MAX_UNREADABLE) return read;
    if (this.#onUnreadable !== "report") return { ok: false, error: FLOOD };
    return this.#unreadable === MAX_UNREADABLE ? { ok: false, error: SILENCED } : undefined;
  }

  get #isSilenced(): boolean {
    return this.#onUnreadable === "report" && this.#unreadable >= MAX_UNREADABLE;
  }
}

export function readMessageLine(line: DecodedLine, onUnreadable: OnUnreadable, limits?: JsonLimits): MessageLine {
  if (!line.ok && line.tooLong && onUnreadable === "report") return tooLong(line.tooLong);
  if (!line.ok) return unreadable(line.error, "", onUnreadable);
  const parsed = parseJson(line.text, limits);
  if (!parsed.ok) return unreadable(parsed.error, shown(line.text), onUnreadable);
  if (onUnreadable === "answer" || !isNoise(parsed.value)) {
    return { ok: true, message: parsed.value, length: line.text.length };
  }
  return { ok: false, error: onUnreadable === "report" ? noise(shown(line.text)) : NO_MESSAGE };
}

/** Whether a line may be a message, judged by its first character and its length only. */
function mayBeMessage(line: DecodedLine): boolean {
  if (!line.ok) return line.tooLong !== undefined;
  return line.text.length >= SHORTEST_MESSAGE.length && /^\s*[[{]/.test(line.text);
}

/** The head of an answer: most servers write the id before the result. */
const ANSWER_START =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(0|[1-9]\d{0,14}|"[^"\\\p{Cc}]*")\s*,\s*"(?:result|error)"/u;

function tooLong({ maxBytes, start }: TooLongLine): MessageLine {
  const [, id] = ANSWER_START.exec(start) ?? [];
  const message = `the line of the message is longer than ${maxBytes} bytes and was discarded; raise maxLineBytes of the target`;
  return {
    ok: false,
    error: new SdkError("too-large", message),
    // The pattern matches only numbers and strings.
    answers: id === undefined ? undefined : (JSON.parse(id) as RequestId),
  };
}

function unreadable(error: Error, text: string, onUnreadable: OnUnreadable): MessageLine {
  return { ok: false, error: onUnreadable === "report" ? noise(text, error) : error };
}

/** Whether valid JSON is no message: a number, a string, a structured log line. */
function isNoise(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return !(Array.isArray(value) || "jsonrpc" in value || "id" in value);
}

function noise(text: string, cause?: Error): SdkError {
  const why = cause === undefined ? "" : ` (${cause.message})`;
  return new SdkError("invalid-message", `The server wrote a line that is no message; it was skipped${text}${why}`, {
    cause,
  });
}

function shown(text: string): string {
  return `: ${JSON.stringify(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text)}`;
}
