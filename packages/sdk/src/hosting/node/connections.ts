/** The connections of a server, and how to close them without cutting off an answer that is still on its way. */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export class Connections {
  /** How many responses each of them still owes. */
  readonly #owed = new Map<Socket, number>();
  #isClosing = false;

  constructor(http: Server) {
    http.on("connection", (socket) => {
      this.#owed.set(socket, 0);
      socket.once("close", () => this.#owed.delete(socket));
    });
    // Node takes a connection for idle once its answer has been written, even if none of it has been sent.
    http.closeIdleConnections = () => this.#closeIdle();
  }

  /** Its connection is busy until it has been sent, or its client is gone. */
  track(response: ServerResponse, { socket }: { readonly socket: Socket }): void {
    this.#change(socket, 1);
    response.on("close", () => this.#change(socket, -1));
  }

  /** Closes those that are idle now, and the others when they are. */
  close(): void {
    this.#isClosing = true;
    this.#closeIdle();
  }

  #closeIdle(): void {
    for (const [socket, owed] of this.#owed) {
      if (owed > 0) continue;
      this.#owed.delete(socket);
      socket.destroySoon();
    }
  }

  #change(socket: Socket, by: number): void {
    const owed = this.#owed.get(socket);
    if (owed === undefined) return;
    this.#owed.set(socket, owed + by);
    if (this.#isClosing) this.#closeIdle();
  }
}
