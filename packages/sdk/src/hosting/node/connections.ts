/** The connections of an HTTP server: who is let in, who is idle, and how to close without cutting off an answer. */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import {
  type ConnectionLimits,
  type ConnectionRefusal,
  ConnectionTable,
  tooManyConnections,
} from "./connection-table.js";

const DEFAULT_MAX_CONNECTIONS = 16_384;
/** Refused connections that are told why at a time; more are closed at once. */
const MAX_REFUSED = 64;
/** The time that a refused client has to read the answer. */
const REFUSED_MS = 1_000;

/** A connection without a request for this long may be closed for a newcomer. A shorter pause may end at any moment. */
const IDLE_MS = 1_000;

const REFUSALS: Readonly<Record<ConnectionRefusal, string>> = {
  "per-address": answerTo("per-address", "429 Too Many Requests"),
  total: answerTo("total", "503 Service Unavailable"),
};

/** The last request of a connection. */
interface LastRequest {
  /** Answers go out in the order of their requests, so once this one is sent, all are. */
  response: ServerResponse | undefined;
  /** When it arrived, or when the connection was opened. */
  at: number;
}

export class Connections {
  readonly #last = new Map<Socket, LastRequest>();
  readonly #table: ConnectionTable;
  #refused = 0;

  /** @throws {SdkError} `invalid-argument` for a limit that is none. */
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
    // It takes a connection for idle once its answer has been written, even if none of it has been sent.
    http.closeIdleConnections = () => undefined;
  }

  /** Its connection is busy until it has been sent, or its client is gone. */
  track(response: ServerResponse, { socket }: { readonly socket: Socket }): void {
    const last = this.#last.get(socket);
    if (last === undefined || socket.writableEnded) return;
    last.response = response;
    last.at = Date.now();
  }

  /** Closes those that are idle now, and the others when they are. */
  close(): void {
    for (const socket of this.#last.keys()) this.#closeWhenIdle(socket);
  }

  #closeWhenIdle(socket: Socket): void {
    if (this.#isIdle(socket)) socket.destroySoon();
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

  /** Requests on the connection are not served, since its writable side has ended. */
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
