/** HTTP without sockets: requests and responses that tests make, watch and break, and a legacy client that uses them. */
import { expect, onTestFinished } from "vitest";
import type { LegacyRevision } from "../../../protocol/revisions.js";
import type { JsonObject } from "../../../runtime/json.js";
import { McpServer } from "../../../server/mcp-server.js";
import type { McpServerOptions } from "../../../server/server-options.js";
import type { Caller } from "../../../transport/caller.js";
import { classify } from "../../../wire/classify.js";
import type { EventSink, HttpHeaders, HttpRequest, HttpResponse } from "../http-host.js";
import { type HttpOptions, httpLimits } from "../http-options.js";
import { HttpRefusal } from "../http-refusal.js";
import { LegacyEndpoint } from "./legacy-endpoint.js";
import type { LegacyOptions } from "./legacy-options.js";

export interface SentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data?: string;
}

export class FakeRequest implements HttpRequest {
  readonly url = "http://127.0.0.1/mcp";
  readonly path = "/mcp";
  readonly isLocal = true;
  readonly method: string;
  readonly query: string;
  readonly #headers: HttpHeaders;
  readonly #listeners: (() => void)[] = [];
  isDisconnected = false;

  constructor(method: string, headers: HttpHeaders = {}, query = "") {
    this.method = method;
    this.query = query;
    this.#headers = headers;
  }

  header(name: string): string | undefined {
    return this.#headers[name];
  }

  headers(): HttpHeaders {
    return this.#headers;
  }

  readBody(): void {
    throw new Error("Whoever calls the legacy endpoint has read the body");
  }

  onDisconnect(listener: () => void): void {
    this.#listeners.push(listener);
  }

  disconnect(): void {
    this.isDisconnected = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

/** What a client has got of a response so far. */
export class FakeResponse implements HttpResponse {
  readonly #request: FakeRequest;
  readonly #waiting: (() => void)[] = [];
  status: number | undefined;
  headers: HttpHeaders = {};
  body: string | undefined;
  isStream = false;
  isEnded = false;
  /** Takes nothing more, as a slow client's queue does. */
  isFull = false;
  /** Its client has gone without a word: what is written is taken, and never arrives. */
  isDeaf = false;
  text = "";

  constructor(request: FakeRequest) {
    this.#request = request;
  }

  send(status: number, headers: HttpHeaders, body?: string): void {
    expect(this.status, "a response is sent once").toBeUndefined();
    Object.assign(this, { status, headers, body, isEnded: true });
    this.#tell();
  }

  stream(headers: HttpHeaders): EventSink {
    expect(this.status, "a response is sent once").toBeUndefined();
    Object.assign(this, { status: 200, headers, isStream: true });
    this.#tell();
    return {
      write: (text) => {
        if (this.#request.isDisconnected || this.isEnded || this.isFull) return false;
        if (!this.isDeaf) this.text += text;
        this.#tell();
        return true;
      },
      end: () => {
        this.isEnded = true;
        this.#tell();
      },
    };
  }

  disconnect(): void {
    this.#request.disconnect();
  }

  get json(): unknown {
    return JSON.parse(this.body ?? "null");
  }

  get events(): SentEvent[] {
    const blocks = this.text.split("\n\n").filter((block) => block !== "" && !block.startsWith(":"));
    return blocks.map((block) => Object.fromEntries(block.split("\n").map((line) => splitLine(line))));
  }

  /** The id of the last event. */
  get lastId(): string {
    return this.events.at(-1)?.id ?? "";
  }

  /** What the events say; those without data are left out. */
  get messages(): JsonObject[] {
    return this.events.filter(({ data }) => data !== "").map(({ data }) => JSON.parse(data ?? ""));
  }

  async ended(): Promise<this> {
    await this.ready(() => this.isEnded);
    return this;
  }

  async received(count: number): Promise<JsonObject[]> {
    await this.ready(() => this.messages.length >= count);
    return this.messages;
  }

  /** Resolves once something that was written made it so. */
  ready(isMet: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (isMet()) resolve();
      };
      this.#waiting.push(check);
      check();
    });
  }

  #tell(): void {
    for (const check of this.#waiting) check();
  }
}

function splitLine(line: string): [string, string] {
  const colon = line.indexOf(": ");
  return [line.slice(0, colon), line.slice(colon + 2)];
}

/** Everything settled that needs no outside event. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

export interface ClientOptions {
  readonly revision?: LegacyRevision;
  readonly caller?: Caller;
  readonly capabilities?: JsonObject;
  readonly headers?: HttpHeaders;
}

/** A legacy client that speaks in raw exchanges. */
export class FakeClient {
  readonly endpoint: LegacyEndpoint;
  sessionId: string | undefined;
  readonly #options: ClientOptions;

  constructor(endpoint: LegacyEndpoint, options: ClientOptions = {}) {
    this.endpoint = endpoint;
    this.#options = options;
  }

  get #headers(): Record<string, string> {
    const session = this.sessionId === undefined ? {} : { "mcp-session-id": this.sessionId };
    return { accept: "application/json, text/event-stream", ...session, ...this.#options.headers };
  }

  /** Sends a body; what is refused ends as the response that its host would give. */
  post(body: unknown, headers: HttpHeaders = {}): FakeResponse {
    return this.#exchange("POST", headers, (request, response) =>
      this.endpoint.post(request, classify(body), this.#options.caller, response),
    );
  }

  get(headers: HttpHeaders = {}): FakeResponse {
    return this.#exchange("GET", headers, (request, response) =>
      this.endpoint.get(request, this.#options.caller, response),
    );
  }

  delete(headers: HttpHeaders = {}): FakeResponse {
    return this.#exchange("DELETE", headers, (request, response) =>
      this.endpoint.delete(request, this.#options.caller, response),
    );
  }

  request(id: string | number, method: string, params?: JsonObject): FakeResponse {
    return this.post({ jsonrpc: "2.0", id, method, params });
  }

  call(id: string | number, name: string, args: JsonObject = {}): FakeResponse {
    return this.request(id, "tools/call", { name, arguments: args, _meta: { progressToken: `p${id}` } });
  }

  notify(method: string, params?: JsonObject): FakeResponse {
    return this.post({ jsonrpc: "2.0", method, params });
  }

  cancel(requestId: string | number): FakeResponse {
    return this.notify("notifications/cancelled", { requestId });
  }

  initialize(): FakeResponse {
    const { revision = "2025-11-25", capabilities = {} } = this.#options;
    const clientInfo = { name: "tester", version: "1.0.0" };
    return this.request(0, "initialize", { protocolVersion: revision, capabilities, clientInfo });
  }

  /** Opens a session. */
  async open(): Promise<this> {
    const response = await this.initialize().ended();
    expect(response.status).toBe(200);
    this.sessionId = response.headers["mcp-session-id"];
    expect(this.notify("notifications/initialized").status ?? 202).toBe(202);
    await settled();
    return this;
  }

  #exchange(
    method: string,
    headers: HttpHeaders,
    handle: (request: FakeRequest, response: FakeResponse) => void | Promise<void>,
  ): FakeResponse {
    const request = new FakeRequest(method, { ...this.#headers, ...headers });
    const response = new FakeResponse(request);
    void answerRefusals(response, async () => handle(request, response));
    return response;
  }
}

export async function answerRefusals(response: FakeResponse, handle: () => Promise<void>): Promise<void> {
  try {
    await handle();
  } catch (thrown) {
    if (!(thrown instanceof HttpRefusal)) throw thrown;
    response.send(thrown.status, thrown.headers, JSON.stringify({ jsonrpc: "2.0", error: thrown.error }));
  }
}

export interface LegacySetUp {
  readonly server: McpServer;
  readonly endpoint: LegacyEndpoint;
  /** What was reported to nobody in particular. */
  readonly errors: Error[];
  client(options?: ClientOptions): FakeClient;
}

/** A server behind a legacy endpoint. It is closed at the test's end. */
export function setUpLegacy(
  options: LegacyOptions & Pick<HttpOptions, "keepAliveMs"> = {},
  serverOptions: Partial<McpServerOptions> = {},
): LegacySetUp {
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const server = new McpServer({ name: "fake", version: "1.0.0", onError, ...serverOptions });
  const endpoint = new LegacyEndpoint(server.hosting, options, httpLimits(options).keepAliveMs);
  onTestFinished(() => endpoint.close());
  return { server, endpoint, errors, client: (clientOptions) => new FakeClient(endpoint, clientOptions) };
}

export interface Gate {
  /** Resolves once `open` is called. */
  readonly passed: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open!: () => void;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
