/**
 * Decodes chunks of bytes into lines: the framing of stdio and sockets. Lines end with LF or CRLF; blank lines are skipped. An
 * invalid line becomes an error and does not affect others. Knows nothing of JSON.
 */
import { ProtocolError } from "../errors/protocol-error.js";
import { ErrorCode } from "../protocol/error-codes.js";

export type DecodedLine =
  | { readonly ok: true; readonly text: string }
  /** The error to answer with: -32700 for bytes that are not UTF-8, -32600 for a line over the limit. */
  | { readonly ok: false; readonly error: ProtocolError; readonly tooLong?: TooLongLine };

export interface TooLongLine {
  readonly maxBytes: number;
  /** The first characters of the line, which may contain its id. */
  readonly start: string;
}

const LF = 0x0a;
const CR = 0x0d;
const NOT_BLANK = /[^ \t]/;
/** A larger buffer is freed after its line. */
const KEPT_BYTES = 64 * 1024;
/** Bytes kept of a line over the limit. */
const START_BYTES = 256;

const REPLACEMENT = "\uFFFD";
/** Shared by all lines: creating an error takes longer than decoding a short line. */
const NOT_UTF8: DecodedLine = {
  ok: false,
  error: new ProtocolError(ErrorCode.parseError, "Parse error: the line is not valid UTF-8"),
};

const encoder = new TextEncoder();

export class LineDecoder {
  // Keeps a byte order mark, so that the parser refuses it over every transport.
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #lenient = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #maxLineBytes: number;
  #buffer = new Uint8Array(0);
  #size = 0;
  #isDiscarding = false;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that the chunk completes. A line over the limit is reported once, as soon as it exceeds the limit. */
  decode(chunk: Uint8Array): DecodedLine[] {
    const lines: DecodedLine[] = [];
    let start = this.#takeTogether(chunk, lines);
    for (let end = chunk.indexOf(LF, start); end >= 0; end = chunk.indexOf(LF, start)) {
      this.#take(chunk.subarray(start, end), lines);
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start), lines);
    return lines;
  }

  /** The input has ended: remaining bytes count as a line. */
  end(): DecodedLine[] {
    const lines: DecodedLine[] = [];
    this.#take(new Uint8Array(0), lines);
    return lines;
  }

  /**
   * Decodes all complete lines of a chunk with one call, which takes half the time. Lines are decoded one by one if any is
   * invalid UTF-8 or may be too long. Returns the index after the decoded lines.
   */
  #takeTogether(chunk: Uint8Array, lines: DecodedLine[]): number {
    const end = chunk.lastIndexOf(LF);
    if (end < 0 || this.#size > 0 || this.#isDiscarding || chunk.length > this.#maxLineBytes) return 0;
    let text: string;
    try {
      text = this.#utf8.decode(chunk.subarray(0, end));
    } catch {
      return 0;
    }
    for (const line of text.split("\n")) add(line.endsWith("\r") ? line.slice(0, -1) : line, lines);
    return end + 1;
  }

  /** Completes a line. `rest` is its part in this chunk. */
  #take(rest: Uint8Array, lines: DecodedLine[]): void {
    if (this.#size === 0 && !this.#isDiscarding && rest.length <= this.#maxLineBytes) {
      this.#emit(rest, lines);
      return;
    }
    this.#keep(rest, lines);
    if (!this.#isDiscarding) this.#emit(this.#buffer.subarray(0, this.#size), lines);
    this.#isDiscarding = false;
    this.#size = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = new Uint8Array(0);
  }

  #keep(part: Uint8Array, lines: DecodedLine[]): void {
    if (this.#isDiscarding) return;
    const size = this.#size + part.length;
    if (size > this.#maxLineBytes) {
      const maxBytes = this.#maxLineBytes;
      const start = this.#startWith(part);
      this.#isDiscarding = true;
      this.#size = 0;
      this.#buffer = new Uint8Array(0);
      const message = `Invalid request: a line is longer than ${maxBytes} bytes; it was discarded`;
      const error = new ProtocolError(ErrorCode.invalidRequest, message);
      lines.push({ ok: false, error, tooLong: { maxBytes, start } });
      return;
    }
    this.#reserve(size);
    this.#buffer.set(part, this.#size);
    this.#size = size;
  }

  #startWith(part: Uint8Array): string {
    const kept = this.#buffer.subarray(0, Math.min(this.#size, START_BYTES));
    return this.#lenient.decode(kept) + this.#lenient.decode(part.subarray(0, START_BYTES - kept.length));
  }

  /** Doubles the buffer, so that each byte is copied a bounded number of times. */
  #reserve(size: number): void {
    if (size <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.min(Math.max(size, 2 * this.#buffer.length), this.#maxLineBytes));
    grown.set(this.#buffer.subarray(0, this.#size));
    this.#buffer = grown;
  }

  #emit(bytes: Uint8Array, lines: DecodedLine[]): void {
    const line = bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes;
    const text = this.#lenient.decode(line);
    // Invalid bytes decode to U+FFFD. Encoding the text again is a faster check than catching a decoder's exception.
    if (text.includes(REPLACEMENT) && !isEncoded(text, line)) lines.push(NOT_UTF8);
    else add(text, lines);
  }
}

/** Whether the bytes are the UTF-8 of the text. */
function isEncoded(text: string, bytes: Uint8Array): boolean {
  const encoded = encoder.encode(text);
  return encoded.length === bytes.length && encoded.every((byte, index) => byte === bytes[index]);
}

function add(text: string, lines: DecodedLine[]): void {
  if (text.startsWith("{") || NOT_BLANK.test(text)) lines.push({ ok: true, text });
}
