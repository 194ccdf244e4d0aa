/** A proxy on loopback that notes what passes in both directions, and can cut streams as a bad network would. */
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Burst } from "./burst.js";
import type { Tap, WireEntry } from "./wire-log.js";

const SHOWN_REQUEST = ["mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name", "last-event-id", "accept"];
const SHOWN_RESPONSE = ["content-type", "mcp-session-id"];

export class HttpTap implements Tap {
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #target: URL;
  readonly #entries: WireEntry[] = [];
  readonly #open = new Set<ServerResponse>();
  readonly #burst = new Burst();
  /** The latest session that the server has opened. */
  sessionId: string | undefined;

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing));
  }

  static async start(target: string): Promise<HttpTap> {
    const tap = new HttpTap(new URL(target));
    await new Promise<void>((resolve) => void tap.#server.listen(0, "127.0.0.1", resolve));
    return tap;
  }

  /** Where the target is reached through this proxy. */
  get url(): string {
    // A server that listens has an address with a port.
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${this.#target.pathname}`;
  }

  get open(): number {
    return this.#open.size;
  }

  entries(): readonly WireEntry[] {
    return this.#entries;
  }

  /** Breaks every response that is under way. */
  cut(): void {
    this.#note("line", "every open response is cut");
    for (const response of this.#open) response.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = "", url = "/", headers } = incoming;
    this.#open.add(outgoing);
    const upstream = request(new URL(url, this.#target), {
      method,
      agent: this.#agent,
      headers: { ...headers, host: this.#target.host },
    });
    upstream.on("response", (answer) => this.#passBack(answer, outgoing));
    upstream.on("error", () => outgoing.destroy());
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      upstream.write(chunk);
    });
    incoming.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      this.#note("client", [`${method} ${url}${shown(headers, SHOWN_REQUEST)}`, body].filter(Boolean).join("\n"));
      this.#burst.sent(body);
      upstream.end();
    });
    outgoing.on("close", () => {
      this.#open.delete(outgoing);
      if (outgoing.writableFinished) return;
      this.#note("line", `${method} ${url} ended before its response was complete`);
      upstream.destroy();
    });
  }

  #passBack(answer: IncomingMessage, outgoing: ServerResponse): void {
    const { statusCode = 0, headers } = answer;
    const session = headers["mcp-session-id"];
    if (typeof session === "string") this.sessionId = session;
    this.#note("server", `${statusCode}${shown(headers, SHOWN_RESPONSE)}`);
    outgoing.writeHead(statusCode, headers);
    outgoing.flushHeaders();
    answer.setEncoding("utf8").on("data", (chunk: string) => {
      const text = this.#burst.release(chunk);
      if (text === "") return;
      this.#note("server", text);
      outgoing.write(text);
    });
    answer.on("end", () => outgoing.end());
    answer.on("error", () => outgoing.destroy());
  }

  #note(from: WireEntry["from"], text: string): void {
    this.#entries.push({ from, text });
  }
}

function shown(headers: IncomingMessage["headers"], names: readonly string[]): string {
  const lines = names.filter((name) => headers[name] !== undefined).map((name) => `${name}: ${headers[name]}`);
  return lines.length > 0 ? `  [${lines.join("; ")}]` : "";
}
