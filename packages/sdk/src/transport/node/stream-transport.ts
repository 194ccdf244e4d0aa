/** The transport over two byte streams, one message per line: stdio, sockets and the like. */
import { SdkError } from "../../errors/sdk-error.js";
import { withTimeout } from "../../runtime/timers.js";
import type { JsonRpcMessage } from "../../wire/json-rpc.js";
import { MessageLineReader, type OnUnreadable } from "../message-line.js";
import type { Transport, TransportReceiver } from "../transport.js";
import { LineChannel, type LineStreams, lineLimits } from "./line-channel.js";

/** Longest time that `close` waits for a peer that does not read. */
const FLUSH_MS = 1_000;

/** The streams and the limits of a `StreamTransport`. */
export interface StreamTransportOptions extends LineStreams {
  /**
   * Bytes of one line, which is one message. A longer line is discarded, and the connection stays open.
   * @defaultValue 16_777_216
   */
  readonly maxLineBytes?: number | undefined;
  /**
   * Handling of a line that is no message. `report` skips and reports it, as clients must. `answer` answers it with an
   * error. `answer-and-end` also stops reading and calls `onInputEnd`. After 1,000 such lines in a row, `report` stops
   * reporting until the next message, and `answer` stops reading.
   * @defaultValue "report"
   */
  readonly onUnreadable?: OnUnreadable | undefined;
  /** Network address of the peer, for rate limits of clients without a principal. @defaultValue none */
  readonly address?: string | undefined;
  /** Called at the first message. @defaultValue none */
  readonly onFirstMessage?: (() => void) | undefined;
  /** Called at the end of the input. @defaultValue closes the transport */
  readonly onInputEnd?: (() => void) | undefined;
}

/**
 * Reads messages from one stream of bytes and writes them to another.
 *
 * @example
 * const transport = new StreamTransport({ input: process.stdin, output: process.stdout });
 * const client = await Client.connect(transport, { name: "cli", version: "1.0.0" });
 */
export class StreamTransport implements Transport {
  readonly #channel: LineChannel;
  readonly #reader: MessageLineReader;
  readonly #onInputEnd: () => void;
  readonly #address: string | undefined;
  #onFirstMessage: (() => void) | undefined;
  #receiver: TransportReceiver | undefined;
  #closing: Promise<void> | undefined;

  /** @throws {SdkError} `invalid-argument` for an invalid limit. */
  constructor(options: StreamTransportOptions) {
    this.#channel = new LineChannel(options);
    this.#reader = new MessageLineReader(options.onUnreadable ?? "report", lineLimits(options));
    this.#onFirstMessage = options.onFirstMessage;
    this.#address = options.address;
    this.#onInputEnd = options.onInputEnd ?? (() => this.#over());
  }

  start(receiver: TransportReceiver): void {
    if (this.#receiver) throw new SdkError("invalid-argument", "This transport was started before; make a new one");
    this.#receiver = receiver;
    const address = this.#address;
    this.#channel.start({
      line: (line) => {
        const read = this.#reader.read(line);
        if (read?.ok) {
          this.#onFirstMessage?.();
          this.#onFirstMessage = undefined;
          receiver.receive(read.message, { messageBytes: read.length, address });
        } else if (read) receiver.receiveUnparsable(read.error, read.answers);
        if (this.#reader.isOver) this.#channel.endInput();
      },
      ended: this.#onInputEnd,
      failed: (error) => this.#over(error),
    });
  }

  send(message: JsonRpcMessage | readonly JsonRpcMessage[]): void | Promise<void> {
    return this.#channel.send(message);
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  /** The peer closed the connection, or a stream failed. */
  #over(error?: Error): void {
    this.#channel.destroy();
    this.#closing = Promise.resolve();
    this.#receiver?.closed(error);
  }

  async #finish(): Promise<void> {
    await withTimeout(this.#channel.finish(), FLUSH_MS, () => undefined);
    this.#channel.destroy();
    this.#receiver?.closed();
  }
}
