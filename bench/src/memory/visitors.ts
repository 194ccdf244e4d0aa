/** Clients that stay: sessions that were opened and left idle, streams that were opened and are kept. Bare `node:http`. */
import { once } from "node:events";
import { Agent, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import { REVISION } from "../contender.js";

const CLIENT_INFO = { name: "bench", version: "1.0.0" };
/** What all of them can open a stream in. */
const SESSION_REVISION = "2025-06-18";
const ACCEPT = "application/json, text/event-stream";

/** What a session's later requests carry. */
type SessionHeaders = Readonly<Record<"mcp-session-id" | "mcp-protocol-version", string>>;

/** As many POSTs at a time, over as many connections. */
const LANES = 8;

export class Visitors implements Disposable {
  readonly #url: string;
  readonly #posts = new Agent({ keepAlive: true, maxSockets: LANES });
  readonly #streams = new Agent({ keepAlive: false });
  #lastId = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Shakes hands so many times. @throws {Error} if the server opens no session. */
  async openSessions(count: number): Promise<SessionHeaders[]> {
    const sessions: SessionHeaders[] = [];
    await inLanes(count, async () => {
      const params = { protocolVersion: SESSION_REVISION, clientInfo: CLIENT_INFO, capabilities: {} };
      const { headers, body } = await this.#post({ id: ++this.#lastId, method: "initialize", params }, {});
      const id = headers["mcp-session-id"];
      const revision = /"protocolVersion":\s*"([^"]+)"/.exec(body)?.[1];
      if (typeof id !== "string" || revision === undefined) throw new Error(`initialize opened no session: ${body}`);
      const session = { "mcp-session-id": id, "mcp-protocol-version": revision };
      await this.#post({ method: "notifications/initialized" }, session);
      sessions.push(session);
    });
    return sessions;
  }

  /** Opens the legacy era's stream of each session. */
  async openGetStreams(sessions: readonly SessionHeaders[]): Promise<void> {
    let next = 0;
    await inLanes(sessions.length, async () => {
      await this.#hold("GET", { accept: "text/event-stream", ...sessions[next++] }, undefined);
    });
  }

  /** Opens so many streams of changes to the list of tools. */
  openListenStreams(count: number): Promise<void> {
    const method = "subscriptions/listen";
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": REVISION.modern,
      "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    return inLanes(count, async () => {
      const params = { notifications: { toolsListChanged: true }, _meta };
      const body = JSON.stringify({ jsonrpc: "2.0", id: ++this.#lastId, method, params });
      const headers = { accept: ACCEPT, "mcp-protocol-version": REVISION.modern, "mcp-method": method };
      const response = await this.#hold("POST", { ...headers, "content-type": "application/json" }, body);
      if (response.readableLength === 0) await once(response, "readable"); // The acknowledgment.
    });
  }

  [Symbol.dispose](): void {
    this.#posts.destroy();
    this.#streams.destroy();
  }

  async #post(message: object, headers: OutgoingHttpHeaders): Promise<{ headers: IncomingHttpHeaders; body: string }> {
    const sent = JSON.stringify({ jsonrpc: "2.0", ...message });
    const all = { accept: ACCEPT, "content-type": "application/json", ...headers };
    const response = await send(this.#url, "POST", all, sent, this.#posts);
    return { headers: response.headers, body: await text(response) };
  }

  async #hold(method: string, headers: OutgoingHttpHeaders, body: string | undefined): Promise<IncomingMessage> {
    const response = await send(this.#url, method, headers, body, this.#streams);
    if (response.statusCode === 200 && String(response.headers["content-type"]).startsWith("text/event-stream")) {
      response.on("error", () => undefined); // This side ends it without ceremony.
      return response;
    }
    throw new Error(`expected a stream, got ${response.statusCode} ${response.headers["content-type"]}`);
  }
}

async function send(
  url: string,
  method: string,
  headers: OutgoingHttpHeaders,
  body: string | undefined,
  agent: Agent,
): Promise<IncomingMessage> {
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  const outgoing = request(url, { method, headers: { ...headers, ...length }, agent }).end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  outgoing.on("error", () => undefined); // From here on the response tells.
  return response;
}

async function inLanes(count: number, visit: () => Promise<void>): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await visit();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
