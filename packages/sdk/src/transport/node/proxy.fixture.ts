/** A proxy for tests: tunnels every CONNECT to one address, whatever host it names. */
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { onTestFinished } from "vitest";

export interface TestProxy {
  readonly url: string;
  /** The hosts and ports of the tunnels that were asked for. */
  readonly tunnels: readonly string[];
}

interface TestProxyOptions {
  /** The port that all tunnels lead to. */
  readonly port?: number;
  /** Any but 200 refuses tunnels. */
  readonly status?: number;
  /** Called when a tunnel is asked for. */
  readonly onTunnel?: () => void;
}

export async function startProxy({ port = 0, status = 200, onTunnel }: TestProxyOptions): Promise<TestProxy> {
  const tunnels: string[] = [];
  const proxy = createServer();
  proxy.on("connect", (request, socket) => {
    tunnels.push(request.url as string);
    onTunnel?.();
    socket.on("error", () => undefined);
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
      return;
    }
    const upstream = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connected\r\n\r\n");
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("close", () => upstream.destroy());
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, tunnels };
}
