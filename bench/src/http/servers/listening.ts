/** A free port of this machine for what answers requests. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import type { Listening } from "../http-contender.js";

export async function listen(listener: RequestListener): Promise<Listening> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  // Clients wait for their turn between rounds and are to find their connections again.
  server.keepAliveTimeout = 600_000;
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** For those who insist on opening the port themselves. */
export async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // As above.
  server.close();
  await once(server, "close");
  return port;
}
