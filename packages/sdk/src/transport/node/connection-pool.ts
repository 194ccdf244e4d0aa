/**
 * Pool of `undici` connections by origin, with one call at a time per connection. Replaces the `Pool` of `undici`. That pool
 * opens a second connection if a call follows the end of another in the same turn of the event loop.
 */
import type { LookupFunction, Socket } from "node:net";
import { setImmediate } from "node:timers";
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
    const idle = this.#idle.get(origin) ?? [];
    for (let connection = idle.pop(); connection; connection = idle.pop()) {
      if (!connection.isClosed) return connection;
    }
    return new PooledConnection(origin, this.#undici, this.#connect, this.#idle);
  }

  /**
   * Whether the server may have closed, unnoticed, the connection that `take` would return. A call that follows the end of
   * another within one run of the microtask queue leaves no time for that.
   */
  mayBeClosed(origin: string): boolean {
    const next = this.#idle.get(origin)?.at(-1);
    return next !== undefined && !next.isJustReleased;
  }

  /** Resolves when the events have been read that were waiting on all sockets. */
  async readEvents(): Promise<void> {
    // Immediates run after the sockets were polled. The first may run in a turn that has polled already.
    await nextImmediate();
    await nextImmediate();
  }
}

function nextImmediate(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

export class PooledConnection {
  readonly client: Client;
  readonly #origin: string;
  readonly #idle: Map<string, PooledConnection[]>;
  #socket: Socket | undefined;
  /** Whether `release` was called in the current run of the microtask queue. */
  isJustReleased = false;

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
  }

  /** Whether the server has closed the connection. It is forgotten a turn of the event loop later. */
  get isClosed(): boolean {
    return this.#socket?.destroyed === true;
  }

  /** The call has its response. A connection that closes afterwards is forgotten when its socket does. */
  release(): void {
    this.isJustReleased = true;
    // Ticks that a microtask schedules run when the microtask queue is empty.
    queueMicrotask(() => process.nextTick(this.#endRun));
    const idle = this.#idle.get(this.#origin);
    if (idle === undefined) this.#idle.set(this.#origin, [this]);
    else idle.push(this);
  }

  /** The call failed. The connection closes, also while it is being established. */
  abandon(): void {
    void this.client.destroy();
    this.#socket?.destroy();
  }

  readonly #endRun = () => {
    this.isJustReleased = false;
  };

  readonly #forget = () => {
    const idle = this.#idle.get(this.#origin)?.filter((connection) => connection !== this);
    if (idle === undefined || idle.length === 0) this.#idle.delete(this.#origin);
    else this.#idle.set(this.#origin, idle);
  };
}
