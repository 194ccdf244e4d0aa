/** The connections of an HTTP server: who is let in, who is idle, and how to close without cutting off an answer. */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type ConnectionLimits, ConnectionTable, type Refusal } from "./connection-table.js";

const DEFAULT_MAX_CONNECTIONS = 16_384;
/** Refused connections that are told why at a time; more are closed at once. */
const MAX_REFUSED = 64;
/** The time that a refused client has to read the answer. */
const REFUSED_MS = 1_000;

const REFUSALS: Readonly<Record<Refusal, string>> = {
  "per-address": emptyAnswer("429 Too Many Requests"),
  total: emptyAnswer("503 Service Unavailable"),
};

export class Connections {
  /** The last response of each. Answers go out in the order of their requests, so once it is sent, all are. */
  readonly #last = new Map<Socket, ServerResponse | undefined>();

  readonly #table: ConnectionTable;
  #refused = 0;

  /** @throws {SdkError} `invalid-argument` for a limit that is none. */
  constructor(http: Server, limits: ConnectionLimits) {
    this.#table = new ConnectionTable(limits, DEFAULT_MAX_CONNECTIONS, (socket) => this.#isIdle(socket));
    http.on("connection", (socket) => {
      const refusal = this.#table.admit(socket);
      if (refusal !== undefined) {
        this.#refuse(socket, refusal);
        return;
      }
      this.#last.set(socket, undefined);
      socket.once("close", () => this.#last.delete(socket));
    });
    // It takes a connection for idle once its answer has been written, even if none of it has been sent.
    http.closeIdleConnections = () => undefined;
  }

  /** Its connection is busy until it has been sent, or its client is gone. */
  track(response: ServerResponse, { socket }: { readonly socket: Socket }): void {
    if (!socket.writableEnded) this.#last.set(socket, response);
  }

  /** Closes those that are idle now, and the others when they are. */
  close(): void {
    for (const socket of this.#last.keys()) this.#closeWhenIdle(socket);
  }

  #closeWhenIdle(socket: Socket): void {
    if (this.#isIdle(socket)) socket.destroySoon();
    else this.#last.get(socket)?.once("close", () => this.#closeWhenIdle(socket));
  }

  #isIdle(socket: Socket): boolean {
    const response = this.#last.get(socket);
    return response === undefined || response.writableFinished || response.destroyed;
  }

  /** Requests on the connection are not served, since its writable side has ended. */
  #refuse(socket: Socket, refusal: Refusal): void {
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

function emptyAnswer(status: string): string {
  return `HTTP/1.1 ${status}\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
}
