/** The connections of a server, and how to close them without cutting off an answer that is still on its way. */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export class Connections {
  /** The last response of each. Answers go out in the order of their requests, so once it is sent, all are. */
  readonly #last = new Map<Socket, ServerResponse | undefined>();

  constructor(http: Server) {
    http.on("connection", (socket) => {
      this.#last.set(socket, undefined);
      socket.once("close", () => this.#last.delete(socket));
    });
    // It takes a connection for idle once its answer has been written, even if none of it has been sent.
    http.closeIdleConnections = () => undefined;
  }

  /** Its connection is busy until it has been sent, or its client is gone. */
  track(response: ServerResponse, { socket }: { readonly socket: Socket }): void {
    this.#last.set(socket, response);
  }

  /** Closes those that are idle now, and the others when they are. */
  close(): void {
    for (const socket of this.#last.keys()) this.#closeWhenIdle(socket);
  }

  #closeWhenIdle(socket: Socket): void {
    const response = this.#last.get(socket);
    if (response === undefined || response.writableFinished || response.destroyed) socket.destroySoon();
    else response.once("close", () => this.#closeWhenIdle(socket));
  }
}
