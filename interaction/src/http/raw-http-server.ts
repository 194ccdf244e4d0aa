/** A real HTTP server on loopback whose every answer a test gives by hand, and clients connected to it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Client, type ClientOptions, type HttpTarget } from "parley-mcp/client";
import { withDeadline } from "../deadline.js";
import { type ConnectionLog, openLog } from "../wire-log.js";
import { markScripted } from "../wiretap/wiretap.js";

const DEADLINE_MS = 5_000;

type Headers = Readonly<Record<string, string>>;
type Verb = "POST" | "GET" | "DELETE";

export class RawHttpServer implements AsyncDisposable {
  readonly calls: RawCall[] = [];
  readonly sockets: Socket[] = [];
  readonly #server: Server;
  readonly #log: ConnectionLog = openLog("client", "2025-11-25");
  readonly #scripted: ReadonlySet<string>;
  readonly #untaken: RawCall[] = [];
  readonly #waiting: ((call: RawCall) => void)[] = [];

  private constructor(scripted: readonly Verb[]) {
    this.#scripted = new Set(["POST", ...scripted]);
    this.#server = createServer((request, response) => void this.#receive(request, response));
    markScripted(this.#server);
    this.#server.on("connection", (socket) => this.sockets.push(socket));
  }

  /** `scripted` names the verbs that the test answers besides POST; to all others the server says 405. */
  static async start(scripted: readonly Verb[] = []): Promise<RawHttpServer> {
    const server = new RawHttpServer(scripted);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  /** What was called, in order. */
  get log(): string[] {
    return this.calls.map(({ verb, message }) => [verb, message?.method].filter(Boolean).join(" "));
  }

  next(): Promise<RawCall> {
    const call = this.#untaken.shift();
    if (call !== undefined) return Promise.resolve(call);
    const arrived = new Promise<RawCall>((resolve) => this.#waiting.push(resolve));
    return withDeadline(arrived, DEADLINE_MS, "waiting for the client's next HTTP request");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const call = new RawCall(request, response, body, this.#log);
    this.calls.push(call);
    if (!this.#scripted.has(call.verb)) {
      call.respond(405);
      return;
    }
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#untaken.push(call);
    else waiting(call);
  }
}

interface RawMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** One request of the client and what becomes of it. */
export class RawCall {
  readonly verb: string;
  readonly path: string;
  readonly message: RawMessage | undefined;
  /** Resolves when the connection, or the exchange on it, has ended. */
  readonly closed: Promise<void>;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #log: ConnectionLog;

  constructor(request: IncomingMessage, response: ServerResponse, body: string, log: ConnectionLog) {
    this.verb = request.method ?? "";
    this.path = request.url ?? "";
    this.message = body === "" ? undefined : JSON.parse(body);
    this.closed = new Promise((resolve) => response.on("close", resolve));
    this.#request = request;
    this.#response = response;
    this.#log = log;
    log.note("client", this.message);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  respond(status: number, headers: Headers = {}, body: string | Uint8Array = ""): void {
    this.#response.writeHead(status, headers).end(body);
  }

  json(value: unknown, status = 200, headers: Headers = {}): void {
    this.#log.note("server", value);
    this.respond(status, { "content-type": "application/json", ...headers }, JSON.stringify(value));
  }

  result(result: Readonly<Record<string, unknown>>, headers: Headers = {}): void {
    this.json({ jsonrpc: "2.0", id: this.message?.id, result }, 200, headers);
  }

  accept(): void {
    this.respond(202);
  }

  /** Begins a response whose body follows with `write`. */
  stream(headers: Headers = { "content-type": "text/event-stream" }): void {
    this.#response.writeHead(200, headers).flushHeaders();
  }

  write(text: string | Uint8Array): void {
    this.#response.write(text);
  }

  /** Writes the same text again and again, as fast as the client reads. Resolves with the number of bytes when the client has closed the connection. */
  async writeEndlessly(text: string): Promise<number> {
    const { socket } = this.#request;
    const write = () => {
      while (!this.#response.destroyed && this.#response.write(text));
    };
    this.#response.on("drain", write);
    write();
    await this.closed;
    return socket.bytesWritten - socket.writableLength;
  }

  /** One message as an event. */
  event(message: unknown, id?: string): void {
    this.#log.note("server", message);
    this.write(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`);
  }

  end(): void {
    this.#response.end();
  }

  /** Breaks the connection off without a word. */
  reset(): void {
    this.#request.socket.destroy();
  }
}

export interface RawConnection {
  readonly client: Client;
  /** What the client reported besides what its calls rejected with. */
  readonly errors: Error[];
}

export interface RawConnectOptions {
  readonly http?: Omit<HttpTarget, "url">;
  readonly client?: Partial<ClientOptions>;
}

/** A client of the newest revision, which sends nothing before its first call. */
export async function connectModern(server: RawHttpServer, options: RawConnectOptions = {}): Promise<RawConnection> {
  return connectTo(server, { ...options, client: { revision: "2026-07-28", ...options.client } });
}

/** A client whose handshake the server has answered, with a session. */
export async function connectLegacy(
  server: RawHttpServer,
  options: RawConnectOptions & { readonly negotiated?: string; readonly session?: string } = {},
): Promise<RawConnection> {
  const { negotiated = "2025-11-25", session = "session-1", client, http = {} } = options;
  const connecting = connectTo(server, { http, client: { revision: "2025-11-25", ...client } });
  await shakeHands(server, negotiated, session);
  return connecting;
}

/** Answers a handshake. */
export async function shakeHands(server: RawHttpServer, negotiated: string, session: string): Promise<void> {
  const capabilities = { tools: {}, resources: {}, prompts: {} };
  const serverInfo = { name: "raw", version: "1.0.0" };
  const initialize = await server.next();
  initialize.result({ protocolVersion: negotiated, capabilities, serverInfo }, { "mcp-session-id": session });
  (await server.next()).accept();
}

export async function connectTo(server: RawHttpServer, { http, client }: RawConnectOptions): Promise<RawConnection> {
  const errors: Error[] = [];
  const target: HttpTarget = { url: server.url, ...http };
  const onError = (error: Error) => void errors.push(error);
  return { client: await Client.connect(target, { name: "raw-client", version: "1.0.0", onError, ...client }), errors };
}
