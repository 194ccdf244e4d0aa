/**
 * Sends and receives lines over a pair of byte streams, with batched writes and bounded queues. Handles all stream errors.
 * The transports above decide what the end of the input means.
 */
import type { Readable, Writable } from "node:stream";
import { checkWholeNumber } from "../../errors/option-checks.js";
import type { OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { ByteBuffer } from "../../runtime/byte-buffer.js";
import type { JsonLimits } from "../../wire/json-limits.js";
import type { JsonRpcMessage } from "../../wire/json-rpc.js";
import { type DecodedLine, LineDecoder } from "../../wire/line-decoder.js";
import { serializeMessage } from "../../wire/preserialized-json.js";
import { DEFAULT_MAX_MESSAGE_BYTES } from "../transport.js";
import { type BackpressureStream, BackpressureWriter } from "./backpressure-writer.js";
import { ignoreError } from "./child-process-lifecycle.js";
import { LineScheduler } from "./line-scheduler.js";

/** Room for two messages of the largest size. */
const DEFAULT_MAX_QUEUED_BYTES = 32 * 1024 * 1024;

const NO_LINES: readonly DecodedLine[] = [];

/** Limits of messages that travel as lines. */
export interface LineLimits extends JsonLimits {
  /** Bytes of one line. The receiver discards a longer one and keeps the connection. @defaultValue 10_485_760 */
  readonly maxLineBytes?: number | undefined;
  /**
   * Close the connection once more than this many bytes wait for a peer that does not read. A server reads no further message
   * meanwhile, and its answers do not close the connection.
   * @defaultValue 33_554_432
   */
  readonly maxQueuedBytes?: number | undefined;
}

export const LINE_LIMITS: OptionTable<LineLimits> = {
  maxLineBytes: true,
  maxQueuedBytes: true,
  maxJsonDepth: true,
  maxJsonNodes: true,
};

/** A pair of streams that carry messages as lines. */
export interface LineStreams extends LineLimits {
  readonly input: Readable;
  readonly output: Writable;
  /** Neither end nor destroy the output when the channel closes. @defaultValue false */
  readonly keepsOutput?: boolean | undefined;
  /** Called with the number of queued bytes when it changes. Long lines are then written in pieces. @defaultValue none */
  readonly onQueued?: ((bytes: number) => void) | undefined;
  /** Deliver lines for a few milliseconds per turn of the event loop, shared with other channels. @defaultValue false */
  readonly takesTurns?: boolean | undefined;
  /**
   * Deliver no line while more than `maxQueuedBytes` wait for the peer, and let answers pass the limit. For servers only: two peers
   * that wait for each other would wait for ever.
   * @defaultValue false
   */
  readonly holdsRequests?: boolean | undefined;
}

export interface LineListener {
  line(line: DecodedLine): void;
  /** The input has ended. Called once. */
  ended(): void;
  /** A stream failed: nothing can be sent any more, but received lines are still delivered. Called once. */
  failed(error: Error): void;
}

/** Picks the limits from options. @throws {SdkError} `invalid-argument` for an invalid one. */
export function lineLimits({ maxLineBytes, maxQueuedBytes, maxJsonDepth, maxJsonNodes }: LineLimits): LineLimits {
  const limits = { maxLineBytes, maxQueuedBytes, maxJsonDepth, maxJsonNodes };
  for (const [name, limit = 1] of Object.entries(limits)) {
    checkWholeNumber(name, limit, 1);
  }
  return limits;
}

export class LineChannel {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #write: Writable["write"];
  readonly #paced: BackpressureWriter | undefined;
  readonly #keepsOutput: boolean;
  readonly #maxQueuedBytes: number;
  readonly #decoder: LineDecoder;
  readonly #turns: LineScheduler<DecodedLine> | undefined;
  readonly #holdsRequests: boolean;
  /** Lines of the last chunk that wait until the peer has read. Empty with a `LineScheduler`, which has its own. */
  #held: readonly DecodedLine[] = NO_LINES;
  /** More than `maxQueuedBytes` of answers wait for the peer. */
  #isHolding = false;
  /** Set while the stream is full. All senders share its promise. */
  #blocked: BlockedOutput | undefined;
  #listener: LineListener | undefined;
  /** The stream has ended. Lines may still wait for delivery. */
  #isEnding = false;
  #hasEnded = false;
  #failure: Error | undefined;
  #isOver = false;
  /** Lines to write together at the end of this turn of the event loop. */
  #gathered = "";
  /** Unfinished writes. Not counted with a `BackpressureWriter`. */
  #pendingWrites = 0;

  /** @throws {SdkError} `invalid-argument` for an invalid limit. */
  constructor({
    input,
    output,
    keepsOutput = false,
    onQueued,
    takesTurns,
    holdsRequests = false,
    ...limits
  }: LineStreams) {
    const { maxLineBytes, maxQueuedBytes } = lineLimits(limits);
    this.#input = input;
    this.#output = output;
    // Bound here: the guard of stdout replaces `write` later, for other writers.
    this.#write = output.write.bind(output);
    this.#paced = onQueued && new BackpressureWriter(this.#pacedStream(), onQueued);
    this.#keepsOutput = keepsOutput;
    this.#holdsRequests = holdsRequests;
    this.#maxQueuedBytes = maxQueuedBytes ?? DEFAULT_MAX_QUEUED_BYTES;
    this.#decoder = new LineDecoder(maxLineBytes ?? DEFAULT_MAX_MESSAGE_BYTES);
    this.#turns = takesTurns ? new LineScheduler((line) => this.#deliver(line), this.#resume) : undefined;
    // Never removed: an `error` event without a listener would end the process.
    input.on("error", this.#fail);
    output.on("error", this.#fail);
  }

  start(listener: LineListener): void {
    this.#listener = listener;
    this.#input.on("data", this.#receive).on("end", this.#end).on("close", this.#end);
    if (this.#failure) listener.failed(this.#failure);
    else if (this.#input.destroyed) this.#end();
  }

  /** Rejects once the channel is closed, and when more than `maxQueuedBytes` wait for the peer. */
  send(message: JsonRpcMessage | readonly JsonRpcMessage[]): void | Promise<void> {
    let line: string;
    try {
      line = `${serializeMessage(message)}\n`;
    } catch (error) {
      return Promise.reject(error);
    }
    if (this.#isOver || this.#failure || !this.#output.writable) return Promise.reject(closed());
    if (this.#queuedBytes > this.#maxQueuedBytes && !this.#hold(message)) {
      const lost = new SdkError("connection-closed", `The peer does not read: over ${this.#maxQueuedBytes} bytes wait`);
      this.#fail(lost);
      return Promise.reject(lost);
    }
    return this.#writeLine(line, isNotification(message));
  }

  /** Treats the input as ended: no further line is delivered, and the bytes that still arrive are discarded. */
  endInput(): void {
    this.#hasEnded = true;
    // Unread bytes would reset the connection when it closes, and the peer would lose the last answer.
    this.#input.off("data", this.#receive).resume();
    this.#listener?.ended();
  }

  /** Flushes queued lines, then ends the output. Delivers no further lines, but keeps reading the input. */
  async finish(): Promise<void> {
    this.#isOver = true;
    this.#flush();
    if (this.#blocked) this.#writeAll(this.#blocked.take());
    if (!this.#output.writable) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#output.off("close", done);
        resolve();
      };
      this.#output.on("close", done);
      if (this.#keepsOutput) this.#write("", done);
      else if (this.#paced) {
        this.#output.once("finish", done);
        this.#paced.end();
      } else this.#output.end(done);
    });
  }

  destroy(): void {
    this.#isOver = true;
    this.#input.off("data", this.#receive).off("end", this.#end).off("close", this.#end);
    this.#input.destroy();
    if (!this.#keepsOutput) this.#output.destroy();
    // A stream that is destroyed during a write emits nothing.
    this.#blocked?.reject(closed());
  }

  /** Stops the delivery of lines if this is an answer: then requests in progress bound what else can be sent. */
  #hold(message: JsonRpcMessage | readonly JsonRpcMessage[]): boolean {
    if (!this.#holdsRequests || "method" in message) return false;
    this.#isHolding = true;
    this.#turns?.hold();
    this.#input.pause();
    return true;
  }

  /** Delivers the lines that were held, in their order, unless their answers fill the queue again. */
  #release(): void {
    if (!this.#isHolding || this.#queuedBytes > this.#maxQueuedBytes) return;
    this.#isHolding = false;
    if (this.#turns) this.#turns.release();
    else if (this.#deliverAll(this.#held)) this.#resume();
  }

  /** Returns a promise only while the stream is full, so that senders wait. */
  #writeLine(line: string, isUrgent: boolean): void | Promise<void> {
    if (this.#blocked && !this.#paced) {
      this.#blocked.append(line);
      return this.#blocked.promise;
    }
    if (this.#gathered === "") process.nextTick(this.#flush);
    this.#gathered += line;
    const { writableHighWaterMark } = this.#output;
    if (isUrgent || this.#queuedBytes + this.#gathered.length >= writableHighWaterMark) this.#flush();
    return this.#blocked?.promise;
  }

  /** One write for all lines: a write costs more than most lines. */
  #flush = (): void => {
    const lines = this.#gathered;
    this.#gathered = "";
    if (lines === "") return;
    if (this.#paced) this.#writePaced(this.#paced, lines);
    else this.#writeAll(lines);
  };

  #writePaced(paced: BackpressureWriter, lines: string): void {
    const { writableHighWaterMark } = this.#output;
    paced.write(lines);
    if (this.#blocked || paced.queuedBytes < writableHighWaterMark) return;
    this.#blocked = new BlockedOutput();
    paced.whenQueued(writableHighWaterMark - 1, () => this.#unblock(this.#output.errored));
  }

  #writeAll(lines: string | Uint8Array): void {
    if (lines.length === 0) return;
    this.#pendingWrites += 1;
    if (!this.#write(lines, this.#written)) this.#blocked ??= new BlockedOutput();
  }

  #written = (error?: Error | null): void => {
    this.#pendingWrites -= 1;
    if (error || this.#pendingWrites === 0) this.#unblock(error);
  };

  /** Writes the queued lines before their senders continue. */
  #unblock(error?: Error | null): void {
    const blocked = this.#blocked;
    this.#blocked = undefined;
    if (error) blocked?.reject(closed(error));
    else if (blocked) {
      this.#writeAll(blocked.take());
      blocked.resolve();
    }
    this.#release();
  }

  #pacedStream(): BackpressureStream {
    const output = this.#output;
    return {
      write: this.#write,
      end: () => output.end(),
      get writableLength() {
        return output.writableLength;
      },
    };
  }

  get #queuedBytes(): number {
    return this.#paced?.queuedBytes ?? this.#output.writableLength + (this.#blocked?.queuedBytes ?? 0);
  }

  #receive = (chunk: Uint8Array | string): void => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    const lines = this.#decoder.decode(bytes);
    if (!(this.#turns ? this.#turns.add(lines) : this.#deliverAll(lines))) this.#input.pause();
  };

  /** True if all were delivered, false if some are held. */
  #deliverAll(lines: readonly DecodedLine[]): boolean {
    let next = 0;
    while (next < lines.length && !this.#isHolding) this.#deliver(lines[next++] as DecodedLine); // Within the array.
    this.#held = next < lines.length ? lines.slice(next) : NO_LINES;
    return this.#held === NO_LINES;
  }

  /** Called when all delayed lines were delivered. */
  #resume = (): void => {
    if (this.#isHolding) return;
    this.#input.resume();
    if (this.#isEnding) this.#end();
  };

  #end = (): void => {
    this.#isEnding = true;
    if (this.#hasEnded || this.#held.length > 0 || this.#turns?.isWaiting) return;
    for (const line of this.#decoder.end()) this.#deliver(line);
    // The last line may have ended the input itself.
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (!this.#isOver) this.#listener?.ended();
  };

  #deliver(line: DecodedLine): void {
    if (!this.#isOver && !this.#hasEnded) this.#listener?.line(line);
  }

  #fail = (error: Error): void => {
    if (this.#isOver || this.#failure) return;
    this.#failure = error;
    this.#listener?.failed(error);
  };
}

/**
 * Lines queued while a stream is full, and the promise of all their senders. Lines are kept as bytes: a string, a write and a
 * promise for each would take twenty times their size.
 */
class BlockedOutput {
  readonly promise: Promise<void>;
  resolve!: () => void;
  reject!: (error: Error) => void;
  #queued = new ByteBuffer();

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // The promise may have no listeners.
    this.promise.catch(ignoreError);
  }

  get queuedBytes(): number {
    return this.#queued.length;
  }

  append(line: string): void {
    this.#queued.append(Buffer.from(line));
  }

  /** Takes the queued lines. */
  take(): Uint8Array {
    const bytes = this.#queued.bytes();
    this.#queued = new ByteBuffer();
    return bytes;
  }
}

/** Notifications are written immediately: a handler that reports progress may block this thread next. */
function isNotification(message: JsonRpcMessage | readonly JsonRpcMessage[]): boolean {
  return "method" in message && !("id" in message);
}

function closed(cause?: Error): SdkError {
  return new SdkError("connection-closed", "The stream to the peer is closed", { cause });
}
