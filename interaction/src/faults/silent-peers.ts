/** Servers over HTTP that shake hands as they should, and then leave a tool call in one of many ways without its answer. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { markScripted } from "../wiretap/wiretap.js";

type Misbehavior = (response: ServerResponse) => void;

const EVENTS = { "content-type": "text/event-stream" };

function streamed(text: string): Misbehavior {
  return (response) => void response.writeHead(200, EVENTS).write(text);
}

/** What becomes of a call; none of them ever brings an answer. */
export const MISBEHAVIORS: Readonly<Record<string, Misbehavior>> = {
  silence: () => undefined,
  "a head and no body": (response) =>
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).flushHeaders(),
  "half a body": (response) =>
    void response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write('{"jsonrpc'),
  "half an error": (response) => void response.writeHead(500, { "content-length": "100" }).write("Oh"),
  "a stream that says nothing": (response) => response.writeHead(200, EVENTS).flushHeaders(),
  "a stream that stops within an event": streamed('data: {"jsonrpc":"2.0",'),
  "a stream of comments": streamed(": still there\n\n"),
  "a stream that talks of something else": (response) => {
    const talk = () => void response.write('data: {"jsonrpc":"2.0","method":"acme/talk"}\n\n');
    response.writeHead(200, EVENTS);
    const timer = setInterval(talk, 10);
    response.on("close", () => clearInterval(timer));
  },
  "a stream that ends": (response) => void response.writeHead(200, EVENTS).end(),
  "a stream that ends and can be resumed": (response) =>
    void response.writeHead(200, EVENTS).end("id: 1\nretry: 0\ndata:\n\n"),
  "a connection half closed": (response) => void response.socket?.end(),
  "a connection reset": (response) => void response.socket?.resetAndDestroy(),
  "a connection cut within a body": (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write("{", () => {
      response.socket?.destroy();
    });
  },
};

export class SilentPeer implements AsyncDisposable {
  readonly #server: Server;
  readonly #misbehave: Misbehavior;
  /** The open stream of HTTP+SSE. */
  #stream: ServerResponse | undefined;

  private constructor(misbehave: Misbehavior) {
    this.#misbehave = misbehave;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    markScripted(this.#server);
  }

  static async start(misbehave: Misbehavior): Promise<SilentPeer> {
    const peer = new SilentPeer(misbehave);
    await new Promise<void>((resolve) => void peer.#server.listen(0, "127.0.0.1", resolve));
    return peer;
  }

  urlOf(path: "/mcp" | "/sse"): string {
    // A server that listens has an address with a port.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    if (request.method !== "POST") return this.#open(request, response);
    const { id, method, params } = body === "" ? {} : JSON.parse(body);
    if (request.url === "/sse") response.writeHead(405).end();
    else if (method === "tools/call") this.#misbehave(response);
    else if (id === undefined) response.writeHead(202).end();
    else {
      const serverInfo = { name: "silent", version: "1.0.0" };
      const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
      const answer = JSON.stringify({ jsonrpc: "2.0", id, result });
      if (request.url === "/mcp") {
        response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "1" }).end(answer);
      } else {
        response.writeHead(202).end();
        this.#stream?.write(`event: message\ndata: ${answer}\n\n`);
      }
    }
  }

  /** Over Streamable HTTP a stream that is to be resumed stays silent. */
  #open(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== "GET") response.writeHead(405).end();
    else if (request.url === "/sse") {
      this.#stream = response.writeHead(200, EVENTS);
      response.write("event: endpoint\ndata: /messages\n\n");
    } else if (request.headers["last-event-id"] === undefined) response.writeHead(405).end();
    else response.writeHead(200, EVENTS).flushHeaders();
  }
}
