/** A client that speaks raw HTTP to a real server on loopback, so that a test sees statuses, headers and single events. */

import { type HttpServerHandle, type ServeHttpOptions, serveHttp } from "parley-mcp/node";
import type { McpServer } from "parley-mcp/server";
import type { ClientCapabilities, JsonObject } from "parley-mcp/types";
import type { Revision } from "parley-requirements";
import { withDeadline } from "../deadline.js";
import { type ConnectionLog, openLog } from "../wire-log.js";

const DEADLINE_MS = 8_000;
const DEFAULT_REVISION: Revision = "2025-11-25";

type Headers = Readonly<Record<string, string>>;

export interface RawEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data?: string;
}

/** One response, read as far as the test wants to. */
export class RawResponse {
  readonly status: number;
  readonly isStream: boolean;
  readonly #response: Response;
  readonly #abort: AbortController;
  readonly #reader: ReadableStreamDefaultReader<string> | undefined;
  readonly #log: ConnectionLog;
  #unread = "";

  constructor(response: Response, abort: AbortController, log: ConnectionLog) {
    this.status = response.status;
    this.#response = response;
    this.#abort = abort;
    this.#log = log;
    this.isStream = response.headers.get("content-type") === "text/event-stream";
    if (this.isStream) this.#reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  }

  header(name: string): string | null {
    return this.#response.headers.get(name);
  }

  async text(): Promise<string> {
    const text = await this.#response.text();
    this.#log.noteText("server", text);
    return text;
  }

  async json(): Promise<JsonObject> {
    return JSON.parse(await this.text());
  }

  /** The next event; undefined at the end of the stream. Comments are left out. */
  async event(): Promise<RawEvent | undefined> {
    for (;;) {
      const end = this.#unread.indexOf("\n\n");
      if (end < 0) {
        const { value } = await withDeadline(this.#read(), DEADLINE_MS, "waiting for an event");
        if (value === undefined) return undefined;
        this.#unread += value;
      } else {
        const block = this.#unread.slice(0, end);
        this.#unread = this.#unread.slice(end + 2);
        if (block.startsWith(":")) continue;
        const event: RawEvent = Object.fromEntries(block.split("\n").map(splitField));
        this.#log.noteText("server", event.data ?? "");
        return event;
      }
    }
  }

  /** The message of the next event that has one; undefined at the end of the stream. */
  async message(): Promise<JsonObject | undefined> {
    const event = await this.event();
    if (event?.data === "") return this.message();
    return event && JSON.parse(event.data ?? "");
  }

  /** Every message up to the end of the stream. */
  async messages(): Promise<JsonObject[]> {
    const message = await this.message();
    return message ? [message, ...(await this.messages())] : [];
  }

  /** The answer, whichever form it has. */
  async answer(): Promise<JsonObject | undefined> {
    return this.isStream ? (await this.messages()).at(-1) : this.json();
  }

  disconnect(): void {
    this.#abort.abort();
  }

  async #read(): Promise<{ value: string | undefined }> {
    const read = await this.#reader?.read();
    return { value: read?.value };
  }
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(": ");
  return [line.slice(0, colon), line.slice(colon + 2)];
}

export interface RawClientOptions {
  readonly revision?: Revision;
  readonly capabilities?: ClientCapabilities;
  readonly headers?: Headers;
}

export class RawHttpClient {
  sessionId: string | undefined;
  readonly url: string;
  readonly #options: RawClientOptions;
  readonly #log: ConnectionLog;

  constructor(url: string, options: RawClientOptions = {}) {
    this.url = url;
    this.#options = options;
    this.#log = openLog("server", options.revision ?? DEFAULT_REVISION);
  }

  async send(verb: string, headers: Headers, body?: unknown, url = this.url): Promise<RawResponse> {
    const abort = new AbortController();
    this.#log.note("client", body);
    const session = this.sessionId === undefined ? {} : { "mcp-session-id": this.sessionId };
    const response = fetch(url, {
      method: verb,
      headers: { accept: "application/json, text/event-stream", ...session, ...this.#options.headers, ...headers },
      signal: abort.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return new RawResponse(await withDeadline(response, DEADLINE_MS, `the response to a ${verb}`), abort, this.#log);
  }

  post(body: unknown, headers: Headers = {}): Promise<RawResponse> {
    return this.send("POST", { "content-type": "application/json", ...headers }, body);
  }

  get(headers: Headers = {}): Promise<RawResponse> {
    return this.send("GET", headers);
  }

  delete(headers: Headers = {}): Promise<RawResponse> {
    return this.send("DELETE", headers);
  }

  request(id: string | number, method: string, params?: JsonObject): Promise<RawResponse> {
    return this.post({ jsonrpc: "2.0", id, method, params });
  }

  /** Calls a tool and asks for its progress. */
  call(id: string | number, name: string): Promise<RawResponse> {
    return this.request(id, "tools/call", { name, _meta: { progressToken: id } });
  }

  notify(method: string, params?: JsonObject): Promise<RawResponse> {
    return this.post({ jsonrpc: "2.0", method, params });
  }

  cancel(requestId: string | number): Promise<RawResponse> {
    return this.notify("notifications/cancelled", { requestId });
  }

  initialize(): Promise<RawResponse> {
    const { revision = DEFAULT_REVISION, capabilities = {} } = this.#options;
    const clientInfo = { name: "raw-client", version: "1.0.0" };
    return this.request("init", "initialize", {
      protocolVersion: revision,
      capabilities: { ...capabilities },
      clientInfo,
    });
  }

  /** Opens a session. */
  async open(): Promise<this> {
    const response = await this.initialize();
    await response.text();
    this.sessionId = response.header("mcp-session-id") ?? undefined;
    await (await this.notify("notifications/initialized")).text();
    return this;
  }
}

export interface HttpHost extends AsyncDisposable {
  readonly url: string;
  readonly handle: HttpServerHandle;
  client(options?: RawClientOptions): RawHttpClient;
}

/** Serves on a free port of this machine until the test lets go of it. */
export async function hostHttp(server: McpServer, options: ServeHttpOptions = {}): Promise<HttpHost> {
  const handle = await serveHttp(server, { shutdownGraceMs: 0, ...options });
  return {
    url: handle.url,
    handle,
    client: (clientOptions) => new RawHttpClient(handle.url, clientOptions),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
