/**
 * Connections of `undici` by origin. Each carries one call at a time. Used in the place of undici's own `Pool`, which opens
 * a second connection for a call that follows the answer of the last one in the same turn of the event loop.
 */
import type { LookupFunction, Socket } from "node:net";
import type { buildConnector, Client } from "undici";

type Undici = typeof import("undici");

/** Below what servers usually allow (5 s and up), so that no call goes out on a connection that is just being closed. */
const IDLE_MS = 4_000;

export class ConnectionPool {
  readonly #undici: Undici;
  readonly #connect: buildConnector.connector;
  /** Idle connections; the last one is used first. */
  readonly #idle = new Map<string, PooledConnection[]>();

  constructor(undici: Undici, lookup: LookupFunction | undefined) {
    this.#undici = undici;
    // Callers limit the time of their calls. A call that ends takes its connecting socket with it.
    this.#connect = undici.buildConnector({ timeout: 0, ...(lookup && { lookup }) });
  }

  /** An idle connection to the origin, or a new one. The call that it is for must release or abandon it. */
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
        // The connector returns the socket, which its type does not say.
        this.#socket = connect(options, callback) as unknown as Socket;
      },
    });
    this.client.on("disconnect", this.#forget);
    this.client.on("connectionError", this.#forget);
  }

  /** The call is over. A connection that broke is forgotten when its socket closes, which is later than this. */
  release(): void {
    const idle = this.#idle.get(this.#origin);
    if (idle === undefined) this.#idle.set(this.#origin, [this]);
    else idle.push(this);
  }

  /** The call ended before its connection was established. */
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
