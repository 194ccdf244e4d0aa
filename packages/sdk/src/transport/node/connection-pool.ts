/**
 * Pool of `undici` connections by origin, with one call at a time per connection. Replaces the `Pool` of `undici`. That pool
 * opens a second connection if a call follows the end of another in the same turn of the event loop.
 */
import type { LookupFunction, Socket } from "node:net";
import type { buildConnector, Client } from "undici";

type Undici = typeof import("undici");

/** Shorter than the idle timeout of most servers (5 s and up), so that no call uses a connection that the server is closing. */
const IDLE_MS = 4_000;

export class ConnectionPool {
  readonly #undici: Undici;
  readonly #connect: buildConnector.connector;
  /** Idle connections; the last one is used first. */
  readonly #idle = new Map<string, PooledConnection[]>();

  constructor(undici: Undici, lookup: LookupFunction | undefined) {
    this.#undici = undici;
    // No timeout: callers limit the time of their calls, and an aborted call destroys its connecting socket.
    this.#connect = undici.buildConnector({ timeout: 0, ...(lookup && { lookup }) });
  }

  /** Returns an idle connection to the origin, or a new one. The caller must release or abandon it. */
  take(origin: string): PooledConnection {
    return this.#idle.get(origin)?.pop() ?? new PooledConnection(origin, this.#undici, this.#connect, this.#idle);
  }
}

export class PooledConnection {
  readonly client: Client;
  readonly #origin: string;
  readonly #idle: Map<string, PooledConnection[]>;
  #socket: Socket | undefined;

  constructor(
    origin: string,
    { Client }: Undici,
    connect: buildConnector.connector,
    idle: Map<string, PooledConnection[]>,
  ) {
    this.#origin = origin;
    this.#idle = idle;
    this.client = new Client(origin, {
      keepAliveTimeout: IDLE_MS,
      // Callers limit the time of their calls, and an event stream may be silent for hours.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) => {
        // The connector returns the socket, although its type does not declare it.
        this.#socket = connect(options, callback) as unknown as Socket;
      },
    });
    this.client.on("disconnect", this.#forget);
    this.client.on("connectionError", this.#forget);
  }

  /** The call has its response. A connection that closes afterwards is forgotten when its socket does. */
  release(): void {
    const idle = this.#idle.get(this.#origin);
    if (idle === undefined) this.#idle.set(this.#origin, [this]);
    else idle.push(this);
  }

  /** The call failed. The connection closes, also while it is being established. */
  abandon(): void {
    void this.client.destroy();
    this.#socket?.destroy();
  }

  readonly #forget = () => {
    const idle = this.#idle.get(this.#origin)?.filter((connection) => connection !== this);
    if (idle === undefined || idle.length === 0) this.#idle.delete(this.#origin);
    else this.#idle.set(this.#origin, idle);
  };
}
