/** A TCP proxy on loopback whose connections can be cut and slowed down. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class LineProxy implements AsyncDisposable {
  /** Each piece of bytes waits this long, in both directions. */
  delayMs = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect({ port, host: "127.0.0.1" });
      this.#pass(near, far);
      this.#pass(far, near);
    });
  }

  static async start(port: number): Promise<LineProxy> {
    const proxy = new LineProxy(port);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    // A server that listens has an address with a port.
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts every connection that is open. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }

  #pass(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    // Bytes keep their order when the delay ends.
    const waiting: Buffer[] = [];
    const passOne = () => {
      const bytes = waiting.shift();
      if (bytes !== undefined && to.writable) to.write(bytes);
    };
    from.on("data", (bytes) => {
      waiting.push(bytes);
      if (waiting.length === 1 && this.delayMs === 0) passOne();
      else setTimeout(passOne, this.delayMs);
    });
    // The other side closes too, whatever went wrong.
    from.on("error", () => undefined);
    from.on("close", () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
