/** One client on a pair of byte streams. When its input ends, requests in progress get a grace period to finish. */
import { JsonRpcDispatcher } from "../../dispatch/json-rpc-dispatcher.js";
import { withTimeout } from "../../runtime/timers.js";
import type { McpServer } from "../../server/mcp-server.js";
import type { OnUnreadable } from "../../transport/message-line.js";
import type { LineStreams } from "../../transport/node/line-channel.js";
import { StreamTransport } from "../../transport/node/stream-transport.js";

/** Clients commonly wait two seconds before they send SIGTERM. */
export const DEFAULT_GRACE_MS = 1_000;

/** Parsing a longer line would block other clients for too long. */
const DEFAULT_MAX_LINE_BYTES = 10 * 1024 * 1024;

export interface StreamConnectionOptions extends LineStreams {
  readonly graceMs: number;
  readonly onUnreadable: OnUnreadable;
  /** @defaultValue none */
  readonly onFirstMessage?: (() => void) | undefined;
  /** Network address of the client. @defaultValue none */
  readonly address?: string | undefined;
}

export class StreamConnection {
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>;
  readonly #graceMs: number;
  #dispatcher: JsonRpcDispatcher | undefined;
  #resolveClosed: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  static async open(server: McpServer, options: StreamConnectionOptions): Promise<StreamConnection> {
    const connection = new StreamConnection(options.graceMs);
    const { accept, dispatcherOptions } = server.hosting;
    const close = () => void connection.close();
    const { maxLineBytes = DEFAULT_MAX_LINE_BYTES } = options;
    const transport = new StreamTransport({ ...options, maxLineBytes, holdsRequests: true, onInputEnd: close });
    connection.#dispatcher = JsonRpcDispatcher.open(transport, (dispatcher) => accept(dispatcher), {
      ...dispatcherOptions,
      onClosed: close,
    });
    return connection;
  }

  private constructor(graceMs: number) {
    this.#graceMs = graceMs;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** Ends subscriptions, gives requests `graceMs` to finish, aborts the rest, and closes the streams. */
  close(): Promise<void> {
    this.#closing ??= this.#drainAndClose();
    return this.#closing;
  }

  async #drainAndClose(): Promise<void> {
    if (this.#dispatcher) await withTimeout(this.#dispatcher.drain(), this.#graceMs, () => undefined);
    await this.#dispatcher?.close();
    this.#resolveClosed?.();
  }
}
