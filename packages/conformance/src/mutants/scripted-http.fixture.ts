/** The scripted server behind HTTP: sessions and streams of the legacy era, mirrored headers of the modern one. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { NEWEST_REVISION, type Revision } from "parley-requirements";
import type { HttpExchangeRequest, SendHttp } from "../wire/http-exchange.js";
import { isObject, type JsonObject, parseJson } from "../wire/json-rpc.js";
import { RpcError } from "./rpc-error.fixture.js";
import { TOOLS } from "./scripted-content.fixture.js";
import {
  emptyReply,
  errorMessage,
  frameGuard,
  type Incoming,
  kindOf,
  type Reply,
  ScriptedServer,
} from "./scripted-server.fixture.js";

const PREFIX = "io.modelcontextprotocol/";
const NAMED = new Set(["tools/call", "prompts/get", "resources/read", "tasks/get", "tasks/update", "tasks/cancel"]);

interface SentEvent {
  readonly stream: string;
  readonly id: string;
  readonly data: string;
}

interface Session {
  readonly revision: Revision;
  readonly events: SentEvent[];
  streams: number;
}

type Headers = Readonly<Record<string, string>>;

export class ScriptedHttp {
  readonly server: ScriptedServer;
  readonly #sessions = new Map<string, Session>();
  #opened = 0;

  constructor(server: ScriptedServer = new ScriptedServer()) {
    this.server = server;
  }

  /** Sends to this server without a socket. */
  readonly send: SendHttp = async (call, signal) => {
    const given = Object.entries(call.headers).filter(
      ([name]) => this.server.guards("header case") || name !== name.toUpperCase(),
    );
    const trim = (value: string) => (this.server.guards("header space") ? value.trim() : value);
    const headers = Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), trim(value)]));
    const reply = this.handle({ host: "127.0.0.1:3000", ...headers }, call);
    return { status: reply.status, headers: reply.headers, body: bodyOf(reply, signal) };
  };

  /** Serves on a free port of the loopback interface. */
  async listen(): Promise<{ readonly url: string } & AsyncDisposable> {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", async () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        const body = Buffer.concat(pieces).toString();
        const closed = new AbortController();
        response.on("close", () => closed.abort());
        const reply = this.handle(headers, { verb: request.method ?? "", headers, body, path: request.url ?? "" });
        response.writeHead(reply.status, reply.headers);
        response.flushHeaders();
        for await (const piece of bodyOf(reply, closed.signal)) response.write(piece);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}/mcp`,
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  handle(headers: Headers, call: HttpExchangeRequest): Reply {
    const parsed = call.verb === "POST" ? parseJson(call.body ?? "") : undefined;
    const message = isObject(parsed) ? parsed : undefined;
    const revision = this.#revisionOf(headers, message);
    const incoming: Incoming = { verb: call.verb, headers, message, kind: "http", revision };
    const reply = this.#serve(headers, call, parsed, revision);
    this.server.fault.change?.(reply, incoming);
    return this.#frame(reply, headers);
  }

  #serve(headers: Headers, call: HttpExchangeRequest, parsed: unknown, revision: Revision): Reply {
    const { server } = this;
    const isForeign = (host: string | undefined) =>
      host !== undefined && !/^(https?:\/\/)?(127\.0\.0\.1|localhost)(:\d+)?$/.test(host);
    if (isForeign(headers.origin) && server.guards(`origin ${call.verb}`)) return emptyReply(403);
    if (isForeign(headers.host) && server.guards("host")) return emptyReply(403);
    if (call.path?.startsWith("/.well-known/oauth-protected-resource")) return this.#metadata();
    const refusal = this.#authorize(headers);
    if (refusal) return refusal;
    if (call.verb === "GET" || call.verb === "DELETE") return this.#verb(call.verb, headers);
    if (call.verb !== "POST") return allow(emptyReply(405));
    if (headers["content-type"]?.split(";")[0] !== "application/json" && server.guards("content type"))
      return emptyReply(415);
    const accepts = headers.accept ?? "";
    const acceptsBoth = accepts.includes("application/json") && accepts.includes("text/event-stream");
    if (!acceptsBoth && server.guards("accept")) return emptyReply(406);
    if (parsed === undefined && server.guards("parse")) return refuse(400, new RpcError(-32700, "Parse error"));
    if (Array.isArray(parsed)) return this.#batch(parsed, headers, revision);
    const kind = kindOf(parsed);
    if (kind === "none" && server.guards(frameGuard(parsed))) {
      return refuse(400, new RpcError(-32600, "Invalid request"), usableId(parsed));
    }
    const message = isObject(parsed) ? parsed : {};
    if (revision === NEWEST_REVISION) return this.#modern(message, headers, kind);
    return this.#legacy(message, headers, kind);
  }

  #revisionOf(headers: Headers, message: JsonObject | undefined): Revision {
    const params = isObject(message?.params) ? message.params : {};
    const meta = isObject(params._meta) ? params._meta : {};
    const named = headers["mcp-protocol-version"];
    const isLegacyHeader = named === undefined || named < NEWEST_REVISION;
    const isModern =
      `${PREFIX}protocolVersion` in meta ||
      (named !== undefined &&
        !isLegacyHeader &&
        message?.method !== "initialize" &&
        headers["mcp-session-id"] === undefined);
    if (isModern && this.server.revisions.includes(NEWEST_REVISION)) return NEWEST_REVISION;
    return this.#sessions.get(headers["mcp-session-id"] ?? "")?.revision ?? "2025-03-26";
  }

  #modern(message: JsonObject, headers: Headers, kind: ReturnType<typeof kindOf>): Reply {
    const { server } = this;
    if (kind === "response" && server.guards("posted response"))
      return refuse(400, new RpcError(-32600, "Invalid request"));
    if (kind === "notification" || kind === "response") return emptyReply(202);
    try {
      server.checkEnvelope(message);
      this.#checkHeaders(message, headers);
      return server.serve(message, NEWEST_REVISION, "http");
    } catch (error) {
      return refuse(error instanceof RpcError ? error.status : 500, error, message.id);
    }
  }

  /** @throws {RpcError} if a header does not mirror the body. */
  #checkHeaders(message: JsonObject, headers: Headers): void {
    const refuse = (guard: string, isWrong: boolean) => {
      if (isWrong && this.server.guards(guard)) throw new RpcError(-32020, `Header mismatch: ${guard}`, 400);
    };
    const params = isObject(message.params) ? message.params : {};
    const meta = isObject(params._meta) ? params._meta : {};
    const revision = headers["mcp-protocol-version"];
    refuse("version header", revision === undefined);
    refuse(
      "version header value",
      revision !== undefined && `${PREFIX}protocolVersion` in meta && revision !== meta[`${PREFIX}protocolVersion`],
    );
    const method = headers["mcp-method"];
    refuse("method header", method === undefined);
    const isOtherCase = method?.toLowerCase() === String(message.method).toLowerCase();
    refuse(
      isOtherCase ? "method header case" : "method header value",
      method !== undefined && method !== message.method,
    );
    if (!NAMED.has(String(message.method))) return;
    const name = headers["mcp-name"];
    refuse(`name header ${message.method}`, name === undefined);
    const named = "taskId" in params ? "task header" : "name header";
    if (name !== undefined) this.#compare(named, name, params.name ?? params.uri ?? params.taskId, refuse);
    const tool = TOOLS.find((candidate) => candidate.name === params.name);
    const region = isObject(params.arguments) ? params.arguments.region : undefined;
    if (!tool || typeof region !== "string") {
      refuse("param header unexpected", !this.server.guards("param header null") && tool?.name === "echo");
      return;
    }
    const header = headers["mcp-param-region"];
    refuse("param header", header === undefined);
    if (header !== undefined) this.#compare("param header", header, region, refuse);
  }

  #compare(what: string, header: string, value: unknown, refuse: (guard: string, isWrong: boolean) => void): void {
    const isSafe = /^[\x20-\x7e]*$/.test(header);
    refuse(`${what} characters`, !isSafe);
    if (!isSafe) return;
    const encoded = /^=\?base64\?(.*)\?=$/.exec(header)?.[1];
    const isBroken =
      encoded !== undefined && !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded);
    refuse(`${what} broken`, isBroken);
    if (isBroken) return;
    const decodes = this.server.guards(`${what} decoded`);
    const decoded = encoded !== undefined && decodes ? Buffer.from(encoded, "base64").toString() : header;
    const shouted = /^=\?BASE64\?(.*)\?=$/.exec(header)?.[1];
    if (shouted !== undefined && !this.server.guards(`${what} marker`)) return;
    refuse(`${what} value`, decoded !== value);
  }

  #legacy(message: JsonObject, headers: Headers, kind: ReturnType<typeof kindOf>): Reply {
    const { server } = this;
    try {
      server.refuseLegacy();
    } catch (error) {
      return refuse(400, error, message.id);
    }
    if (message.method === "initialize") return this.#initialize(message);
    const { session, refusal } = this.#session(headers, "POST");
    if (refusal) return refusal;
    if (kind === "notification") return emptyReply(202);
    if (kind === "response") return emptyReply(server.guards("response status") ? 202 : 200);
    const reply = server.serve(message, session.revision, "http");
    if (reply.isStream) {
      session.streams += 1;
      reply.idPrefix = `s${session.streams}`;
      reply.isPrimed = session.revision === "2025-11-25";
    }
    return reply;
  }

  #initialize(message: JsonObject): Reply {
    const reply = emptyReply(200);
    try {
      const result = this.server.initialize(message.params);
      this.#opened += 1;
      const id = this.server.fault.sessionId?.(this.#opened) ?? `session-${String(this.#opened).padStart(24, "0")}`;
      this.#sessions.set(id, { revision: result.protocolVersion as Revision, events: [], streams: 0 });
      reply.headers["mcp-session-id"] = id;
      reply.messages = [{ jsonrpc: "2.0", id: message.id, result }];
    } catch (error) {
      reply.messages = [errorMessage(error, message.id)];
    }
    return reply;
  }

  #session(
    headers: Headers,
    verb: string,
  ): { session: Session; refusal?: undefined } | { session?: undefined; refusal: Reply } {
    const { server } = this;
    const id = headers["mcp-session-id"];
    const version = headers["mcp-protocol-version"];
    const isSpoken = version === undefined || server.revisions.some((revision) => revision === version);
    if (!isSpoken && server.guards("spoken version"))
      return { refusal: refuse(400, new RpcError(-32600, "Unknown version")) };
    const fallback: Session = { revision: "2025-11-25", events: [], streams: 0 };
    if (id === undefined) {
      return server.guards("session required")
        ? { refusal: refuse(400, new RpcError(-32600, "A session id is required")) }
        : { session: fallback };
    }
    const session = this.#sessions.get(id);
    if (session) return { session };
    return server.guards(`session known ${verb}`)
      ? { refusal: refuse(404, new RpcError(-32600, "Session not found")) }
      : { session: fallback };
  }

  #verb(verb: string, headers: Headers): Reply {
    const { server } = this;
    if (server.legacyRevisions.length === 0)
      return server.guards(`modern ${verb}`) ? allow(emptyReply(405)) : emptyReply(200);
    const { session, refusal } = this.#session(headers, verb);
    if (refusal) return refusal;
    if (verb === "DELETE") {
      if (server.guards("session ended")) this.#sessions.delete(headers["mcp-session-id"] ?? "");
      return emptyReply(200);
    }
    if (!headers.accept?.includes("text/event-stream") && server.guards("accept GET")) return emptyReply(406);
    const reply = emptyReply(200);
    reply.isStream = true;
    const last = headers["last-event-id"];
    const at = session.events.findIndex(({ id }) => id === last);
    const missed = session.events
      .slice(at + 1)
      .filter(({ stream }) => stream === session.events[at]?.stream || !server.guards("replay scope"));
    if (at >= 0 && server.guards("replay"))
      reply.messages = missed.filter(({ data }) => data !== "").map(({ data }) => parseJson(data));
    reply.staysOpen = last === undefined;
    return reply;
  }

  #batch(parsed: readonly unknown[], headers: Headers, revision: Revision): Reply {
    const { server } = this;
    const isServed = revision === "2025-03-26" || !server.guards("batch refused");
    if (!isServed) return refuse(400, new RpcError(-32600, "Batches are not supported"));
    const { session, refusal } = this.#session(headers, "POST");
    if (refusal) return refusal;
    if (parsed.length === 0 && server.guards("empty batch")) return refuse(400, new RpcError(-32600, "An empty batch"));
    const answers = parsed.flatMap((item) => {
      const kind = kindOf(item);
      if (kind === "none")
        return server.guards("batch members") ? [errorMessage(new RpcError(-32600, "Invalid request"), null)] : [];
      if (kind !== "request" || !isObject(item)) return [];
      if (item.method === "initialize" && server.guards("batch initialize")) {
        return [errorMessage(new RpcError(-32600, "initialize cannot be part of a batch"), item.id)];
      }
      if (item.method === "initialize")
        return [{ jsonrpc: "2.0", id: item.id, result: server.initialize(item.params) }];
      return server
        .serve(item, session.revision, "http")
        .messages.filter((message) => isObject(message) && "id" in message);
    });
    const reply = emptyReply(answers.length === 0 ? 202 : 200);
    reply.messages = answers;
    reply.isBatch = answers.length > 0;
    return reply;
  }

  #authorize(headers: Headers): Reply | undefined {
    const { token } = this.server.setup;
    if (token === undefined || headers.authorization === `Bearer ${token}`) return undefined;
    if (headers.authorization !== undefined && !this.server.guards("token valid")) return undefined;
    const reply = emptyReply(401);
    const error = headers.authorization === undefined ? "" : ', error="invalid_token"';
    reply.headers["www-authenticate"] =
      `Bearer resource_metadata="http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp", scope="mcp"${error}`;
    return reply;
  }

  #metadata(): Reply {
    const reply = emptyReply(200);
    reply.headers["content-type"] = "application/json";
    reply.text = JSON.stringify({
      resource: "http://127.0.0.1:3000/mcp",
      authorization_servers: ["https://login.example.com"],
    });
    return reply;
  }

  /** Turns the messages of a reply into its body. */
  #frame(reply: Reply, headers: Headers): Reply {
    if (reply.text !== undefined) return reply;
    if (!reply.isStream) {
      if (reply.messages.length === 0) return { ...reply, text: "" };
      const text = JSON.stringify(reply.isBatch ? reply.messages : reply.messages[0]);
      return { ...reply, text, headers: { "content-type": "application/json", ...reply.headers } };
    }
    const session = this.#sessions.get(headers["mcp-session-id"] ?? "");
    const id = (index: number) => (reply.idPrefix === undefined ? "" : `id: ${reply.idPrefix}-${index}\n`);
    const events = reply.messages.map((message, index) => `${id(index + 1)}data: ${JSON.stringify(message)}\n\n`);
    const stream = reply.idPrefix;
    if (session && stream !== undefined) {
      session.events.push({ stream, id: `${stream}-0`, data: "" });
      session.events.push(
        ...reply.messages.map((message, index) => ({
          stream,
          id: `${stream}-${index + 1}`,
          data: JSON.stringify(message),
        })),
      );
    }
    const primer = reply.isPrimed ? `${id(0)}retry: 100\ndata: \n\n` : "";
    const streamHeaders = { "content-type": "text/event-stream", "x-accel-buffering": "no" };
    return { ...reply, text: primer + events.join(""), headers: { ...streamHeaders, ...reply.headers } };
  }
}

async function* bodyOf(reply: Reply, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (reply.text) yield new TextEncoder().encode(reply.text);
  if (!reply.staysOpen) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function allow(reply: Reply): Reply {
  reply.headers.allow = "POST";
  return reply;
}

function refuse(status: number, error: unknown, id?: unknown): Reply {
  const reply = emptyReply(status);
  reply.messages = [errorMessage(error, id)];
  return reply;
}

function usableId(value: unknown): unknown {
  const id = isObject(value) ? value.id : undefined;
  return typeof id === "string" || Number.isInteger(id) ? id : undefined;
}
