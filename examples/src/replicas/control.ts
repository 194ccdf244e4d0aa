/** The routes of the page: its state, and the buttons. Only pages of this very server may press them. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Fleet, NAMES } from "./fleet.js";
import { PAGE_HEADERS, renderPage } from "./page.js";

/** Listens on loopback. `url` is where MCP clients connect. */
export async function serveControl(fleet: Fleet, url: string, port: number): Promise<Server> {
  const page = renderPage(url);
  const server = createServer((request, response) => void serve(request, response));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = "", origin = `http://${host}` } = request.headers;
    const isOwn = /^(127\.0\.0\.1|localhost):\d+$/.test(host) && origin === `http://${host}`;
    const [, action = "", name = ""] = request.url?.split("/") ?? [];
    const replica = NAMES.find((each) => each === name);
    if (!isOwn) response.writeHead(403).end();
    else if (request.method === "GET" && action === "") response.writeHead(200, PAGE_HEADERS).end(page);
    else if (request.method === "GET" && action === "state") {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(fleet.state));
    } else if (request.method === "POST" && replica && (action === "kill" || action === "start")) {
      const done = await fleet[action](replica).then(
        () => 204,
        () => 500,
      );
      response.writeHead(done).end();
    } else response.writeHead(404).end();
  }
}
