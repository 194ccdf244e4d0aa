/** A node server for tests, and clients that speak HTTP byte by byte. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import type { McpServerOptions } from "../../server/server-options.js";
import type { Posted } from "../http/modern-requests.fixture.js";
import { type HttpServerHandle, type ServeHttpOptions, serveHttp } from "./serve-http.js";

export interface NodeSetUp {
  readonly server: McpServer;
  readonly http: HttpServerHandle;
  readonly errors: Error[];
}

/** A server on a free port, closed at the test's end. */
export async function listen(
  options: ServeHttpOptions = {},
  define: (server: McpServer) => void = () => {},
  serverOptions: Partial<McpServerOptions> = {},
): Promise<NodeSetUp> {
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const server = new McpServer({ name: "s", version: "1.0.0", onError, ...serverOptions });
  server.tool("hi", {}, () => "hello");
  define(server);
  const http = await serveHttp(server, { shutdownGraceMs: 0, ...options });
  onTestFinished(() => http.close());
  return { server, http, errors };
}

/** What a fake raw socket has received; `until` waits for text to arrive. */
export class RawClient {
  readonly socket: Socket;
  received = "";
  failure: Error | undefined;
  readonly closed: Promise<void>;

  constructor(port: number, options: { readonly allowHalfOpen?: boolean } = {}) {
    this.socket = connect({ port, host: "127.0.0.1", ...options });
    this.socket.setEncoding("utf8").on("data", (text: string) => {
      this.received += text;
    });
    this.socket.on("error", (error) => {
      this.failure = error;
    });
    this.closed = new Promise((resolve) => {
      this.socket.once("close", () => resolve());
    });
    onTestFinished(() => void this.socket.destroy());
  }

  write(text: string): void {
    this.socket.write(text);
  }

  async until(text: string): Promise<string> {
    while (!this.received.includes(text)) {
      await new Promise((resolve) => {
        this.socket.once("data", resolve);
      });
    }
    return this.received;
  }
}

/** The bytes of a POST. */
export function rawPost({ headers, body }: Posted, more: Record<string, string> = {}): string {
  const length = { "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host: "localhost", ...headers, ...length, ...more });
  return `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
}

/** Sends a request and gives its response before its body has arrived. */
export function send(url: string, { method, headers, body }: Posted): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { method, headers }, resolve).on("error", reject).end(body);
  });
}

/** Writes until the server has closed the connection: what a client sends does not keep it. */
export async function untilClosed(client: RawClient): Promise<void> {
  while (!client.socket.destroyed) {
    client.write("\r\n");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The value once it has stopped changing. */
export async function settledAt(read: () => number): Promise<number> {
  let before = -1;
  while (before !== read()) {
    before = read();
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return before;
}
