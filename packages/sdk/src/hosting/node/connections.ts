/** The connections of an HTTP server: admits or refuses them, knows which are idle, and closes each after its answers. */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import {
  type ConnectionLimits,
  type ConnectionRefusal,
  ConnectionTable,
  tooManyConnections,
} from "./connection-table.js";

const DEFAULT_MAX_CONNECTIONS = 16_384;
/** Refused connections that are answered at a time. Further ones are closed without an answer. */
const MAX_REFUSED = 64;
/** Time for a refused client to read the answer. */
const REFUSED_MS = 1_000;

/** A connection without a request for this long may be closed for a new one. */
const IDLE_MS = 1_000;

const REFUSALS: Readonly<Record<ConnectionRefusal, string>> = {
  "per-address": answerTo("per-address", "429 Too Many Requests"),
  total: answerTo("total", "503 Service Unavailable"),
};

/** The last request of a connection. */
interface LastRequest {
  /** HTTP/1.1 sends responses in the order of their requests, so once this one is sent, all are. */
  response: ServerResponse | undefined;
  /** Time at which the request arrived, or the connection was opened. */
  at: number;
}

export class Connections {
  readonly #last = new Map<Socket, LastRequest>();
  readonly #table: ConnectionTable;
  #refused = 0;

  /** @throws {SdkError} `invalid-argument` for an invalid limit. */
  constructor(http: Server, limits: ConnectionLimits) {
    this.#table = new ConnectionTable(limits, DEFAULT_MAX_CONNECTIONS, (socket) => this.#isLongIdle(socket));
    http.on("connection", (socket) => {
      const refusal = this.#table.admit(socket);
      if (refusal !== undefined) {
        this.#refuse(socket, refusal);
        return;
      }
      this.#last.set(socket, { response: undefined, at: Date.now() });
      socket.once("close", () => this.#last.delete(socket));
    });
    // Disabled: Node counts a connection as idle once its answer is written, even if none of it has been sent.
    http.closeIdleConnections = () => undefined;
  }

  /** Marks the connection as busy until the response is sent, or the client has disconnected. */
  track(response: ServerResponse, { socket }: { readonly socket: Socket }): void {
    const last = this.#last.get(socket);
    if (last === undefined || socket.writableEnded) return;
    last.response = response;
    last.at = Date.now();
  }

  /**
   * Half-closes each connection as soon as it is idle. The client closes the other half once it has noticed, so it does not send
   * its next request over a connection that is gone.
   */
  close(): void {
    for (const socket of this.#last.keys()) this.#closeWhenIdle(socket);
  }

  #closeWhenIdle(socket: Socket): void {
    if (this.#isIdle(socket)) socket.end();
    else this.#last.get(socket)?.response?.once("close", () => this.#closeWhenIdle(socket));
  }

  #isIdle(socket: Socket): boolean {
    const response = this.#last.get(socket)?.response;
    return response === undefined || response.writableFinished || response.destroyed;
  }

  #isLongIdle(socket: Socket): boolean {
    const last = this.#last.get(socket);
    return last !== undefined && this.#isIdle(socket) && Date.now() - last.at >= IDLE_MS;
  }

  /** Answers and closes a connection. Its requests are not served: `isLingering` finds that its writable side has ended. */
  #refuse(socket: Socket, refusal: ConnectionRefusal): void {
    if (this.#refused >= MAX_REFUSED) {
      socket.destroy();
      return;
    }
    this.#refused += 1;
    const timer = setTimeout(() => socket.destroy(), REFUSED_MS);
    socket.once("close", () => {
      this.#refused -= 1;
      clearTimeout(timer);
    });
    socket.end(REFUSALS[refusal]);
  }
}

function answerTo(refusal: ConnectionRefusal, status: string): string {
  const { code, message, data } = tooManyConnections(refusal);
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code, message, data } });
  const headers = `content-type: application/json\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: ${body.length}`;
  return `HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`;
}
