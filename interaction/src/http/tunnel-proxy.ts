/** An HTTP proxy that tunnels to one port of this machine, whatever host it is asked for. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";

export class TunnelProxy implements AsyncDisposable {
  /** The hosts and ports that were asked for. */
  readonly tunnels: string[] = [];
  readonly #server: Server = createServer();

  private constructor(port: number) {
    this.#server.on("connect", ({ url = "" }, socket) => {
      this.tunnels.push(url);
      const upstream = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 Connected\r\n\r\n"));
      upstream.on("error", () => socket.destroy()).pipe(socket);
      socket.on("error", () => upstream.destroy()).pipe(upstream);
    });
  }

  static async start(port: number): Promise<TunnelProxy> {
    const proxy = new TunnelProxy(port);
    await once(proxy.#server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
