/**
 * Writes text and bytes to a stream in pieces, each after the stream has drained. A stream reports only whole writes as finished,
 * so pieces of 64 KiB show whether a slow reader reads at all. After a piece that the stream took at once, those of bytes are longer.
 */
import { PIECE_LENGTH, pieceEnd } from "../../wire/text-pieces.js";

/** Measured: a write costs as much as copying 64 KiB, so a long list takes half the time in pieces of this length. */
const LONG_PIECE_BYTES = 4 * PIECE_LENGTH;

export interface BackpressureStream {
  write(piece: string | Uint8Array, onWritten: (error?: Error | null) => void): unknown;
  end(): void;
  readonly writableLength: number;
}

export class BackpressureWriter {
  readonly #stream: BackpressureStream;
  readonly #onQueued: (bytes: number) => void;
  #pieces: (string | Uint8Array | LongBytes)[] = [];
  #next = 0;
  /** Length of the next piece of bytes. */
  #pieceBytes = PIECE_LENGTH;
  /** Bytes of the waiting pieces. */
  #waiting = 0;
  #listeners: { readonly bytes: number; readonly listener: () => void }[] = [];
  #isReported = false;
  #isEnding = false;

  /** Calls `onQueued` with the number of queued bytes when it changes, except for writes that the stream takes synchronously. */
  constructor(stream: BackpressureStream, onQueued: (bytes: number) => void) {
    this.#stream = stream;
    this.#onQueued = onQueued;
  }

  get queuedBytes(): number {
    return this.#stream.writableLength + this.#waiting;
  }

  /** Queues text or bytes. Bytes are not copied, so they must not change afterwards. */
  write(text: string | Uint8Array): void {
    const isBehind = this.#stream.writableLength > 0;
    if (typeof text === "string") this.#queueText(text);
    else {
      this.#pieces.push(new LongBytes(text));
      this.#waiting += text.length;
    }
    this.#writePieces();
    if (isBehind || this.#waiting > 0) this.#report();
  }

  #queueText(text: string): void {
    for (let start = 0; start < text.length; ) {
      const end = pieceEnd(text, start);
      // Encoded, since a slice of a string keeps the whole text in memory.
      const piece = start === 0 && end === text.length ? text : Buffer.from(text.slice(start, end));
      this.#queue(piece);
      this.#waiting += Buffer.byteLength(piece);
      start = end;
    }
  }

  /** Ends the stream after the waiting pieces. */
  end(): void {
    this.#isEnding = true;
    this.#writePieces();
  }

  /** Calls `listener` once at most `bytes` bytes are queued, or the stream is closed. */
  whenQueued(bytes: number, listener: () => void): void {
    if (this.queuedBytes <= bytes) listener();
    else this.#listeners.push({ bytes, listener });
  }

  /** Joins short queued texts into one piece: one string per line would take more memory than the lines. */
  #queue(piece: string | Uint8Array): void {
    const last = this.#pieces.length - 1;
    const before = last < this.#next ? undefined : this.#pieces[last];
    const areShort = typeof before === "string" && typeof piece === "string";
    if (areShort && before.length + piece.length <= PIECE_LENGTH) this.#pieces[last] = before + piece;
    else this.#pieces.push(piece);
  }

  #writePieces(): void {
    while (this.#waiting > 0 && this.#stream.writableLength < PIECE_LENGTH) {
      const piece = this.#takePiece();
      this.#waiting -= Buffer.byteLength(piece);
      this.#stream.write(piece, this.#written);
      const isTaken = this.#stream.writableLength === 0;
      this.#pieceBytes = isTaken ? LONG_PIECE_BYTES : PIECE_LENGTH;
    }
    if (this.#waiting > 0) return;
    if (this.#next > 0) this.#pieces = [];
    this.#next = 0;
    if (!this.#isEnding) return;
    this.#isEnding = false;
    this.#stream.end();
  }

  #takePiece(): string | Uint8Array {
    const queued = this.#pieces[this.#next] as string | Uint8Array | LongBytes; // `#waiting` is above 0, so a piece is queued.
    if (queued instanceof LongBytes && queued.rest.length > this.#pieceBytes) return queued.take(this.#pieceBytes);
    this.#pieces[this.#next++] = "";
    return queued instanceof LongBytes ? queued.rest : queued;
  }

  #written = (error?: Error | null): void => {
    if (error) {
      this.#abandon();
      return;
    }
    this.#writePieces();
    if (this.#isReported) this.#report();
    if (this.#listeners.length === 0) return;
    const queued = this.queuedBytes;
    const due = this.#listeners.filter(({ bytes }) => queued <= bytes);
    this.#listeners = this.#listeners.filter(({ bytes }) => queued > bytes);
    for (const { listener } of due) listener();
  };

  /** The stream is closed. */
  #abandon(): void {
    this.#pieces = [];
    this.#next = 0;
    this.#waiting = 0;
    this.#isEnding = false;
    for (const { listener } of this.#listeners.splice(0)) listener();
    if (this.#isReported) this.#onQueued(0);
    this.#isReported = false;
  }

  #report(): void {
    const queued = this.queuedBytes;
    this.#isReported = queued > 0;
    this.#onQueued(queued);
  }
}

/** Bytes that are written piece by piece. */
class LongBytes {
  rest: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.rest = bytes;
  }

  take(length: number): Uint8Array {
    const piece = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length);
    return piece;
  }
}
