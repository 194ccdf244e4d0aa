/** The client's transport to a server on a Unix socket or TCP port, with one message per line as on stdio. */
import { connect, type Socket } from "node:net";
import { checkDuration } from "../../errors/option-checks.js";
import { SdkError } from "../../errors/sdk-error.js";
import { timerMs } from "../../runtime/timers.js";
import type { JsonRpcMessage } from "../../wire/json-rpc.js";
import { networkAdvice } from "../network-advice.js";
import type { Transport, TransportReceiver } from "../transport.js";
import { type LineLimits, lineLimits } from "./line-channel.js";
import { StreamTransport } from "./stream-transport.js";

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;

/** The address of a server that listens on a socket. */
export type SocketAddress =
  /** Path of a Unix socket. */
  | { readonly path: string }
  /** TCP port. `host` defaults to `127.0.0.1`. The connection is neither encrypted nor authenticated. */
  | { readonly port: number; readonly host?: string | undefined };

/** The address and the limits of a `SocketTransport`. */
export type SocketTransportOptions = SocketAddress &
  LineLimits & {
    /**
     * Bytes of one line, which is one message. The client discards a longer one and keeps the connection; the call that it
     * answers rejects.
     * @defaultValue 16_777_216
     */
    readonly maxLineBytes?: number | undefined;
    /** Reject if the connection is not established within this time. @defaultValue 10_000 */
    readonly connectTimeoutMs?: number | undefined;
  };

/**
 * Connects to a server of `serveSocket`. Pass `Client.connect` a function that creates one, so that it can reconnect.
 *
 * @example
 * const transport = new SocketTransport({ path: "/run/user/1000/notes.sock" });
 * const client = await Client.connect(transport, { name: "cli", version: "1.0.0" });
 */
export class SocketTransport implements Transport {
  readonly #options: SocketTransportOptions;
  readonly #limits: LineLimits;
  #socket: Socket | undefined;
  #stream: StreamTransport | undefined;

  /** @throws {SdkError} `invalid-argument` for an invalid limit. */
  constructor(options: SocketTransportOptions) {
    this.#limits = lineLimits(options);
    if (options.connectTimeoutMs !== undefined) checkDuration("connectTimeoutMs", options.connectTimeoutMs);
    this.#options = options;
  }

  /** Connects. Rejects with `connection-closed` if no server accepts the connection in time. */
  async start(receiver: TransportReceiver): Promise<void> {
    if (this.#socket) throw new SdkError("invalid-argument", "This transport was started before; make a new one");
    const socket = connect("path" in this.#options ? { path: this.#options.path } : withHost(this.#options));
    this.#socket = socket;
    await this.#connected(socket);
    socket.setNoDelay(true);
    this.#stream = new StreamTransport({ input: socket, output: socket, ...this.#limits });
    this.#stream.start(receiver);
  }

  send(message: JsonRpcMessage | readonly JsonRpcMessage[]): void | Promise<void> {
    if (this.#stream) return this.#stream.send(message);
    return Promise.reject(new SdkError("connection-closed", "The socket has not been connected"));
  }

  async close(): Promise<void> {
    if (this.#stream) await this.#stream.close();
    else this.#socket?.destroy();
  }

  #connected(socket: Socket): Promise<void> {
    const { connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS } = this.#options;
    const timer = setTimeout(
      () => socket.destroy(new Error(`no connection within ${connectTimeoutMs} ms; connectTimeoutMs allows more`)),
      timerMs(connectTimeoutMs),
    );
    return new Promise<void>((resolve, reject) => {
      const fail = (cause?: unknown) => reject(this.#unreachable(cause));
      socket
        .once("connect", resolve)
        .once("error", fail)
        .once("close", () => fail());
    }).finally(() => clearTimeout(timer));
  }

  #unreachable(cause: unknown): SdkError {
    const where = "path" in this.#options ? this.#options.path : JSON.stringify(withHost(this.#options));
    const why = cause instanceof Error ? `${cause.message}${networkAdvice(cause)}` : "it was closed";
    return new SdkError("connection-closed", `No connection to ${where}: ${why}`, { cause });
  }
}

function withHost({ port, host = "127.0.0.1" }: { port: number; host?: string | undefined }) {
  return { port, host };
}
