/**
 * A transport over `postMessage`: to the document in a frame, to another window, or over a `MessagePort`. Messages of other windows and
 * other origins are dropped. Messages are measured before they are read, since a cloned value may contain itself.
 */
import { checkLimit } from "../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { isJsonObject } from "../runtime/json.js";
import { NODE_BYTES, textBytes } from "../runtime/json-size.js";
import type { Transport, TransportReceiver } from "../transport/transport.js";
import type { JsonRpcMessage } from "../wire/json-rpc.js";
import { parseJson, serializeJson } from "../wire/json-text.js";
import { serializeMessage } from "../wire/preserialized-json.js";

/** The part of a message event that the transport reads. */
export interface WindowMessageEvent {
  readonly type: string;
  readonly data?: unknown;
  readonly origin?: string | undefined;
  readonly source?: unknown;
}

/** The part of a window, or of a `MessagePort`, that messages arrive at. */
export interface MessageEvents {
  addEventListener(type: "message", listener: (event: WindowMessageEvent) => void): void;
  removeEventListener(type: "message", listener: (event: WindowMessageEvent) => void): void;
}

/** The window of a frame, such as `iframe.contentWindow`. */
export interface MessageWindow {
  postMessage(message: unknown, targetOrigin: string): void;
}

/** A frame in the document of a host, such as an `HTMLIFrameElement`. */
export interface MessageFrame {
  /** Null outside of a document. */
  readonly contentWindow: MessageWindow | null;
  addEventListener(type: "load", listener: () => void): void;
  removeEventListener(type: "load", listener: () => void): void;
}

/** A `MessagePort` of a browser or of Node. */
export interface MessagePortLike extends MessageEvents {
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
}

/** Limits of the messages. */
export interface PostMessageOptions {
  /** Memory of one message in bytes: 48 for each value, and two for each character. @defaultValue 16_777_216 */
  readonly maxMessageBytes?: number | undefined;
}

/** The document in a frame to talk to. */
export interface FrameTransportOptions extends PostMessageOptions {
  /**
   * The origin of the document in the frame, such as `https://sandbox.example`. `"null"` for a frame whose `sandbox` attribute lacks
   * `allow-same-origin`: then messages go to any document that the frame shows.
   */
  readonly origin: string;
  /** Where messages arrive. @defaultValue the window of this script */
  readonly listenOn?: MessageEvents | undefined;
}

/** The window to talk to. */
export interface WindowOptions extends FrameTransportOptions {
  /** The other window, such as `parent`. Only its messages are received. */
  readonly target: MessageWindow;
}

interface Channel {
  post(message: unknown): void;
  /** Calls back for each message of the peer, and if the peer is no longer there. Returns a function that stops it. */
  listen(receive: (data: unknown) => void, lose: (error: SdkError) => void): () => void;
}

const OPTIONS: OptionTable<PostMessageOptions> = { maxMessageBytes: true };
const FRAME_OPTIONS: OptionTable<FrameTransportOptions> = { ...OPTIONS, origin: true, listenOn: true };
const WINDOW_OPTIONS: OptionTable<WindowOptions> = { ...FRAME_OPTIONS, target: true };
const DEFAULT_MAX_MESSAGE_BYTES = 16_777_216;
const OPAQUE_ORIGIN = "null";

/**
 * Sends and receives messages over `postMessage`.
 *
 * @example
 * const { port1, port2 } = new MessageChannel();
 * const [one, other] = [PostMessageTransport.overPort(port1), PostMessageTransport.overPort(port2)];
 */
export class PostMessageTransport implements Transport {
  readonly #channel: Channel;
  readonly #maxMessageBytes: number;
  #receiver: TransportReceiver | undefined;
  #stop: (() => void) | undefined;
  #isClosed = false;

  private constructor(channel: Channel, { maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES }: PostMessageOptions) {
    checkLimit("maxMessageBytes", maxMessageBytes);
    this.#channel = channel;
    this.#maxMessageBytes = maxMessageBytes;
  }

  /**
   * Talks to the first document that a frame loads from here on, and closes when the frame loads a second one. Put the frame into the
   * document before, and set its `src` or `srcdoc` after.
   * @throws {SdkError} `invalid-argument` for a wrong or unknown option, and for a frame outside of a document.
   */
  static overFrame(frame: MessageFrame, options: FrameTransportOptions): PostMessageTransport {
    checkOptions("PostMessageTransport", options, FRAME_OPTIONS);
    const { post, listen } = windowChannel("frame", frame?.contentWindow, options);
    const listenToFrame: Channel["listen"] = (receive, lose) => {
      const stopMessages = listen(receive, lose);
      const stopLoads = watchLoads(frame, () =>
        lose(new SdkError("connection-closed", "The frame loaded a second document")),
      );
      return () => {
        stopMessages();
        stopLoads();
      };
    };
    return new PostMessageTransport({ post, listen: listenToFrame }, options);
  }

  /**
   * Talks to a window and to every document that it loads. For a frame, use `overFrame`.
   * @throws {SdkError} `invalid-argument` for a wrong or unknown option.
   */
  static overWindow(options: WindowOptions): PostMessageTransport {
    checkOptions("PostMessageTransport", options, WINDOW_OPTIONS);
    return new PostMessageTransport(windowChannel("target", options.target, options), options);
  }

  /** @throws {SdkError} `invalid-argument` for a wrong or unknown option. */
  static overPort(port: MessagePortLike, options: PostMessageOptions = {}): PostMessageTransport {
    checkOptions("PostMessageTransport", options, OPTIONS);
    const listen: Channel["listen"] = (receive) => {
      const stop = listening(port, () => true, receive);
      port.start();
      return () => {
        stop();
        port.close();
      };
    };
    return new PostMessageTransport({ post: (message) => port.postMessage(message), listen }, options);
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    this.#stop = this.#channel.listen(
      (data) => this.#receive(data, receiver),
      (error) => this.#end(error),
    );
  }

  send(message: JsonRpcMessage | readonly JsonRpcMessage[]): void {
    if (this.#isClosed) throw new SdkError("connection-closed", "The postMessage transport is closed");
    // As JSON: a clone keeps undefined members, and fails for functions.
    this.#channel.post(JSON.parse(serializeMessage(message)));
  }

  close(): void {
    this.#end();
  }

  #end(error?: SdkError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stop?.();
    this.#receiver?.closed(error);
  }

  #receive(data: unknown, receiver: TransportReceiver): void {
    if (!isJsonObject(data) || data.jsonrpc !== "2.0") {
      receiver.receiveUnparsable(new SdkError("invalid-message", "A posted message is not a JSON-RPC message"));
      return;
    }
    const text = this.#textOf(data);
    const parsed = text === undefined ? undefined : parseJson(text);
    if (parsed?.ok) receiver.receive(parsed.value, { messageBytes: text?.length });
    else receiver.receiveUnparsable(parsed?.error ?? tooLarge(this.#maxMessageBytes));
  }

  /** The message as JSON; undefined if it is too large, contains itself, or has no form in JSON. */
  #textOf(data: unknown): string | undefined {
    try {
      return plainBytes(data, this.#maxMessageBytes) > this.#maxMessageBytes ? undefined : serializeJson(data);
    } catch {
      // Nested beyond the stack, or a value such as a bigint or a typed array.
      return undefined;
    }
  }
}

/**
 * The memory of a clone in bytes, as `jsonBytes` counts it. Stops counting once the sum exceeds `max`. A clone may contain typed arrays
 * and `String` objects, and the engine would list all of their keys before a loop could stop.
 * @throws {TypeError} for an object that is neither plain nor an array
 */
function plainBytes(value: unknown, max: number): number {
  if (typeof value === "string") return NODE_BYTES + textBytes(value);
  if (typeof value !== "object" || value === null) return NODE_BYTES;
  const isArray = Array.isArray(value);
  if (!isArray && Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError("expected JSON");
  let bytes = NODE_BYTES;
  for (const [key, member] of isArray ? value.entries() : Object.entries(value)) {
    if (bytes > max) break;
    bytes += (typeof key === "string" ? textBytes(key) : 0) + plainBytes(member, max - bytes);
  }
  return bytes;
}

/** @throws {SdkError} `invalid-argument` unless the text is an origin as browsers write it. */
export function checkOrigin(name: string, origin: unknown, others: readonly string[] = []): void {
  if (typeof origin === "string" && (others.includes(origin) || originOf(origin) === origin)) return;
  const expected = `expected an origin such as "https://sandbox.example", without a path`;
  throw new SdkError("invalid-argument", `${name}: ${expected}, got ${JSON.stringify(origin)}`);
}

function originOf(text: string): string | undefined {
  const { origin = undefined } = URL.canParse(text) ? new URL(text) : {};
  return origin === OPAQUE_ORIGIN ? undefined : origin;
}

/** @throws {SdkError} `invalid-argument` */
function windowChannel(
  name: string,
  target: MessageWindow | null | undefined,
  options: FrameTransportOptions,
): Channel {
  const { origin, listenOn = globalThis as unknown as MessageEvents } = options;
  checkOrigin("origin", origin, [OPAQUE_ORIGIN]);
  if (typeof target?.postMessage !== "function") {
    throw new SdkError("invalid-argument", `${name}: expected a window; put the frame into the document first`);
  }
  if (typeof listenOn.addEventListener !== "function") {
    throw new SdkError("invalid-argument", "listenOn: expected a window; this runtime has none of its own");
  }
  const targetOrigin = origin === OPAQUE_ORIGIN ? "*" : origin;
  const isFromPeer = (event: WindowMessageEvent) => event.source === target && event.origin === origin;
  return {
    post: (message) => target.postMessage(message, targetOrigin),
    listen: (receive) => listening(listenOn, isFromPeer, receive),
  };
}

/** Calls back for each document but the first. Returns a function that stops it. */
function watchLoads(frame: MessageFrame, onSecond: () => void): () => void {
  let loads = 0;
  const listener = (): void => {
    loads += 1;
    if (loads > 1) onSecond();
  };
  frame.addEventListener("load", listener);
  return () => frame.removeEventListener("load", listener);
}

function listening(
  events: MessageEvents,
  isFromPeer: (event: WindowMessageEvent) => boolean,
  receive: (data: unknown) => void,
): () => void {
  const listener = (event: WindowMessageEvent): void => {
    if (isFromPeer(event)) receive(event.data);
  };
  events.addEventListener("message", listener);
  return () => events.removeEventListener("message", listener);
}

function tooLarge(maxBytes: number): ProtocolError {
  return new ProtocolError(ErrorCode.invalidRequest, `Invalid request: no JSON within ${maxBytes} bytes of memory`);
}
