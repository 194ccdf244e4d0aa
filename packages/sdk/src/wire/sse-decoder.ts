/**
 * Decodes chunks of a `text/event-stream` into events. Follows the WHATWG algorithm, except that invalid UTF-8 is an error: a
 * replaced character would change the message.
 */
import { SdkError } from "../errors/sdk-error.js";

export interface DecodedEvent {
  /** `"message"` unless the event names another. */
  readonly type: string;
  readonly data: string;
}

const LINE_END = /\r\n?|\n/g;
/** Number of chunks of a line that are joined together. */
const JOINED_PIECES = 1_024;
const BEYOND_ASCII = /[\u0080-\uffff]/;
const encoder = new TextEncoder();
const DIGITS = /^[0-9]+$/;
/** Characters of an event id. The client sends the id back in a header, and servers bound their headers. */
const MAX_ID_LENGTH = 1_024;

export class SseDecoder {
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true });
  readonly #maxBytes: number;
  #line = "";
  /** The latest pieces of the line. A string that grows by one character at a time takes 32 bytes for each. */
  #pieces: string[] = [];
  #lineBytes = 0;
  #endedWithCr = false;
  #type = "";
  #data: string[] = [];
  #dataBytes = 0;
  #id: string | undefined;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;

  /**
   * `maxBytes` limits the buffered bytes of one event. `lastEventId` is the last id of the stream's earlier connections.
   */
  constructor(maxBytes: number, lastEventId?: string) {
    this.#maxBytes = maxBytes;
    this.#lastEventId = lastEventId;
  }

  /** The id of the last event, if the stream has ids. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  /** The `retry:` of the server. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** @throws {SdkError} `too-large` for an event over the limit, `invalid-message` for bytes that are not UTF-8. */
  decode(chunk: Uint8Array): DecodedEvent[] {
    const events: DecodedEvent[] = [];
    const text = this.#text(chunk);
    if (text === "") return events;
    // A CR ends its line. The LF of a CRLF may come with the next chunk.
    let start = this.#endedWithCr && text.startsWith("\n") ? 1 : 0;
    this.#endedWithCr = text.endsWith("\r");
    LINE_END.lastIndex = start;
    // Equal lengths are not enough: the first bytes of a character may have come with an earlier chunk.
    const isAscii = text.length === chunk.length && !BEYOND_ASCII.test(text);
    for (const { 0: lineEnd, index } of text.matchAll(LINE_END)) {
      const piece = text.slice(start, index);
      this.#count(piece, isAscii);
      const event = this.#takeLine(this.#endLine(piece));
      this.#lineBytes = 0;
      if (event !== undefined) events.push(event);
      start = index + lineEnd.length;
    }
    if (start === text.length) return events;
    const rest = text.slice(start);
    this.#count(rest, isAscii);
    this.#keep(rest);
    return events;
  }

  #text(chunk: Uint8Array): string {
    try {
      return this.#utf8.decode(chunk, { stream: true });
    } catch (cause) {
      throw new SdkError("invalid-message", "The event stream is not valid UTF-8", { cause });
    }
  }

  #keep(piece: string): void {
    if (this.#pieces.push(piece) < JOINED_PIECES) return;
    this.#line += this.#pieces.join("");
    this.#pieces = [];
  }

  /** The whole line, of which this is the last piece. */
  #endLine(piece: string): string {
    if (this.#line === "" && this.#pieces.length === 0) return piece;
    const line = this.#line + this.#pieces.join("") + piece;
    this.#line = "";
    this.#pieces = [];
    return line;
  }

  #count(piece: string, isAscii: boolean): void {
    this.#lineBytes += isAscii ? piece.length : encoder.encode(piece).length;
    if (this.#dataBytes + this.#lineBytes <= this.#maxBytes) return;
    const message = `an event of the stream is longer than ${this.#maxBytes} bytes; raise maxMessageBytes of the target`;
    throw new SdkError("too-large", message);
  }

  #takeLine(line: string): DecodedEvent | undefined {
    if (line === "") return this.#endEvent();
    const colon = line.indexOf(":");
    if (colon < 0) this.#takeField(line, "");
    else if (colon > 0)
      this.#takeField(line.slice(0, colon), line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1));
    return undefined;
  }

  #takeField(name: string, value: string): void {
    if (name === "data") {
      this.#data.push(value);
      this.#dataBytes += this.#lineBytes;
    } else if (name === "event") {
      this.#type = value;
    } else if (name === "id") {
      // An id that is too long for a header counts as empty. Resuming after an earlier id would repeat events.
      if (!value.includes("\0")) this.#id = value.length > MAX_ID_LENGTH ? "" : value;
    } else if (name === "retry" && DIGITS.test(value)) {
      this.#retryMs = Number(value);
    }
  }

  #endEvent(): DecodedEvent | undefined {
    // An empty id resets an earlier one: the stream cannot be resumed from here.
    if (this.#id !== undefined) this.#lastEventId = this.#id === "" ? undefined : this.#id;
    const event = this.#data.length === 0 ? undefined : { type: this.#type || "message", data: this.#data.join("\n") };
    this.#type = "";
    this.#data = [];
    this.#dataBytes = 0;
    this.#id = undefined;
    return event;
  }
}
