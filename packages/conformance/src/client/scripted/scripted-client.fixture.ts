/** A client of both eras without faults, which does in every scenario what the documentation asks of a driver. */
import {
  annotationsOf,
  headerValue,
  initializeParams,
  mirrorHeaders,
  TASKS_EXTENSION,
  withMeta,
} from "../../target/envelope.js";
import { isObject, isRequest, isResponse, type JsonObject, parseJson } from "../../wire/json-rpc.js";
import type { ClientFault } from "./client-fault.fixture.js";
import { PipeSender } from "./pipe-sender.fixture.js";
import { ScriptedLogin } from "./scripted-login.fixture.js";
import { type Incoming, Sender } from "./sender.fixture.js";
import { SseSender } from "./sse-sender.fixture.js";

const ACCEPT = "application/json, text/event-stream";
const CAPABILITIES: JsonObject = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };
const MODERN_CAPABILITIES: JsonObject = { ...CAPABILITIES, extensions: { [TASKS_EXTENSION]: {} } };
const MODERN_ERRORS = [-32020, -32021, -32022];
const LEGACY_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const OLDER_STATUSES = [400, 404, 405];
const MAX_ROUNDS = 8;
const MAX_PAGES = 40;
const MAX_POLLS = 20;

export interface ScriptedClientOptions {
  /** Turns the clock of the stage, so that no real time passes. */
  readonly wait: (ms: number) => void;
  /** How long the client waits for a line over standard streams, in real time. */
  readonly patienceMs: number;
  /** Further variables of the environment. */
  readonly told: Readonly<Record<string, string>>;
}

export class ScriptedClient {
  readonly #url: URL;
  readonly #isPipe: boolean;
  readonly #sender: Sender;
  readonly #login: ScriptedLogin;
  readonly #fault: ClientFault;
  #sse: SseSender | undefined;
  readonly #wait: (ms: number) => void;
  #ids = 0;
  #isModern = true;
  #revision = "2025-11-25";
  #session: string | undefined;
  #renewals = 0;
  #isOver = false;
  #runsTasks = false;
  #updated: () => void = () => undefined;
  readonly #held: Incoming[] = [];

  constructor(
    server: string | readonly string[],
    fault: ClientFault,
    { wait, patienceMs, told }: ScriptedClientOptions,
  ) {
    this.#wait = wait;
    this.#fault = fault;
    const isPipe = typeof server !== "string";
    this.#url = new URL(isPipe ? "stdio:///mcp" : server);
    this.#sender = isPipe ? new PipeSender(Number(server.at(-1)), fault, patienceMs) : new Sender(fault);
    this.#isPipe = isPipe;
    this.#login = new ScriptedLogin(this.#url, this.#sender, told);
  }

  /** Connects, walks the lists, calls, reads and gets everything, and closes. Failures of single steps are passed over. */
  async run(): Promise<void> {
    try {
      const capabilities = await this.#connect();
      this.#runsTasks = isObject(capabilities.extensions) && TASKS_EXTENSION in capabilities.extensions;
      if (this.#isModern && isObject(capabilities.tools) && capabilities.tools.listChanged) await this.#listen();
      for (const tool of await this.#list("tools")) await this.#callTool(tool, capabilities).catch(() => undefined);
      if (capabilities.resources) await this.#readAll(capabilities.resources);
      if (capabilities.prompts)
        for (const { name } of await this.#list("prompts"))
          await this.#call("prompts/get", { name }).catch(() => undefined);
      if (this.#session) await (await this.#http("DELETE", undefined, {})).text();
    } finally {
      this.#held.length = 0;
      await this.#sender.close();
    }
  }

  async #connect(): Promise<JsonObject> {
    const { message, status } = await this.#probe();
    const result = isObject(message?.result) ? message.result : {};
    const error = isObject(message?.error) ? message.error : {};
    if (Array.isArray(result.supportedVersions)) return isObject(result.capabilities) ? result.capabilities : {};
    const isModernError = MODERN_ERRORS.includes(Number(error.code));
    if (isModernError && this.#does("heeds-modern-errors")) {
      const supported = isObject(error.data) && Array.isArray(error.data.supported) ? error.data.supported : [];
      const shared = LEGACY_REVISIONS.find((revision) => supported.includes(revision));
      if (shared === undefined || !this.#does("retries-supported")) throw new Error("There is no shared revision");
      this.#revision = shared;
    }
    if (!this.#does("falls-back")) throw new Error(`The probe was answered with ${status}`);
    this.#isModern = false;
    return this.#handshake();
  }

  /** Over standard streams, no answer to the probe is one of a legacy server. */
  async #probe(): Promise<{ message: JsonObject | undefined; status: number }> {
    try {
      return await this.#exchange("server/discover", {});
    } catch (error) {
      if (this.#isPipe) return { message: undefined, status: 0 };
      throw error;
    }
  }

  async #handshake(): Promise<JsonObject> {
    this.#session = undefined;
    const params = { ...initializeParams(this.#revision), capabilities: CAPABILITIES };
    const { message, headers, status } = await this.#exchange("initialize", params, { isHandshake: true });
    if (message === undefined && OLDER_STATUSES.includes(status) && !this.#sse && this.#does("opens-sse-stream")) {
      this.#sse = await SseSender.open(this.#url, this.#fault, this.#sender);
      return this.#handshake();
    }
    const result = isObject(message?.result) ? message.result : undefined;
    if (!result) throw new Error("The handshake was refused");
    const isKnown = LEGACY_REVISIONS.includes(String(result.protocolVersion));
    if (!isKnown && this.#does("leaves-unknown-revision")) throw new Error("Unknown revision");
    this.#revision = String(result.protocolVersion);
    this.#session = headers?.get("mcp-session-id") ?? undefined;
    await (await this.#http("POST", { jsonrpc: "2.0", method: "notifications/initialized" }, {})).text();
    void this.#standalone();
    return isObject(result.capabilities) ? result.capabilities : {};
  }

  /** Reads the standalone stream, and opens it again after its last event. */
  async #standalone(lastEventId?: string): Promise<void> {
    let last = lastEventId;
    try {
      const extra: Record<string, string> = last === undefined ? {} : { "last-event-id": last };
      const incoming = await this.#http("GET", undefined, extra);
      if (incoming.status !== 200) {
        await incoming.text();
        if (!this.#does("tolerates-405"))
          for (let again = 0; again < 5; again += 1) await (await this.#http("GET", undefined, {})).text();
        return;
      }
      for await (const { id, data } of incoming.events()) {
        last = id ?? last;
        await this.#take(parseJson(data));
      }
      if (last !== undefined && this.#does("reopens-standalone")) await this.#standalone(last);
    } catch {
      // The client was closed.
    }
  }

  async #list(kind: "tools" | "resources" | "prompts"): Promise<JsonObject[]> {
    const items: JsonObject[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const params: JsonObject = cursor === undefined ? {} : { cursor };
      const result = await this.#call(`${kind}/list`, params).catch((): JsonObject => ({}));
      if (Array.isArray(result[kind])) items.push(...(result[kind] as JsonObject[]));
      const next = result.nextCursor;
      if (next === undefined || (next === "" && !this.#does("follows-empty-cursor"))) break;
      if (next === cursor && this.#does("stops-at-repeated-cursor")) break;
      cursor = next;
    }
    return kind === "tools" && this.#isModern && this.#does("leaves-out-bad-tools")
      ? items.filter(isWellAnnotated)
      : items;
  }

  /** Reads every resource. The first one is watched until it changes, where a legacy server lets clients subscribe. */
  async #readAll(capability: unknown): Promise<void> {
    const uris = (await this.#list("resources")).map(({ uri }) => uri);
    if (!this.#isModern && isObject(capability) && capability.subscribe)
      await this.#watch(uris[0]).catch(() => undefined);
    for (const uri of uris) await this.#call("resources/read", { uri }).catch(() => undefined);
  }

  async #watch(uri: unknown): Promise<void> {
    const updated = new Promise<void>((resolve) => {
      this.#updated = resolve;
    });
    await this.#call("resources/subscribe", { uri });
    // Over standard streams, the next request reads the notifications.
    if (!this.#isPipe) await updated;
    await this.#call("resources/unsubscribe", { uri });
  }

  async #callTool(tool: JsonObject, capabilities: JsonObject): Promise<JsonObject> {
    const schema = isObject(tool.inputSchema) ? tool.inputSchema : {};
    const properties = isObject(schema.properties) ? schema.properties : {};
    const given = Object.entries(properties).filter(([, property]) => isObject(property) && "default" in property);
    const args = Object.fromEntries(given.map(([name, property]) => [name, (property as JsonObject).default]));
    const token = { progressToken: `progress-${this.#ids + 1}`, "io.modelcontextprotocol/logLevel": "info" };
    const params = { name: tool.name, arguments: args, _meta: token };
    const support = isObject(tool.execution) ? tool.execution.taskSupport : undefined;
    if (this.#isModern || !isObject(capabilities.tasks) || (support !== "optional" && support !== "required"))
      return this.#call("tools/call", params, tool);
    const { task } = await this.#call("tools/call", { ...params, task: { ttl: 60_000 } }, tool);
    const taskId = isObject(task) ? task.taskId : undefined;
    await this.#call("tasks/get", { taskId });
    return this.#call("tasks/result", { taskId });
  }

  /** A call with its input rounds. */
  async #call(method: string, params: JsonObject, tool?: JsonObject): Promise<JsonObject> {
    let round: JsonObject = {};
    for (let count = 0; count <= (this.#does("bounds-rounds") ? MAX_ROUNDS : 30); count += 1) {
      const { message } = await this.#exchange(method, { ...params, ...round }, { ...(tool ? { tool } : {}) });
      const result = isObject(message?.result) ? message.result : undefined;
      if (!result) {
        const code = isObject(message?.error) ? message.error.code : undefined;
        if (code === -32020 && tool && !tool.isFresh && this.#does("refreshes-headers")) {
          const fresh = (await this.#list("tools")).find(({ name }) => name === tool.name);
          return this.#call(method, { ...params, arguments: params.arguments }, { ...fresh, isFresh: true });
        }
        if (code === -32020 && !this.#does("bounds-refreshes")) continue;
        throw new Error("The call was refused");
      }
      const type = result.resultType ?? "complete";
      if (!this.#isModern || type === "complete") return result;
      const isFollowed = method === "tools/call" || !this.#does("follows-calls-alone");
      if (type === "task" && this.#runsTasks && isFollowed) return this.#follow(result, params.name === "hang");
      if (type !== "input_required") {
        if (this.#does("stops-at-unknown-result")) throw new Error("Unknown type of result");
        continue;
      }
      if (/list$/.test(method) && this.#does("asks-allowed-methods-only")) throw new Error("Not a method with rounds");
      const asked = isObject(result.inputRequests) ? Object.entries(result.inputRequests) : undefined;
      round = {
        ...(asked ? { inputResponses: Object.fromEntries(asked.map(([key, ask]) => [key, inputFor(ask)])) } : {}),
        ...(typeof result.requestState === "string" ? { requestState: result.requestState } : {}),
      };
    }
    throw new Error("Too many rounds");
  }

  /** Polls a task to its end, and answers each of its questions once. A task that is given up is cancelled. */
  async #follow({ taskId, pollIntervalMs: first }: JsonObject, isGivenUp: boolean): Promise<JsonObject> {
    const answered = new Set<string>();
    let interval = Number(first);
    for (let poll = 0; poll < MAX_POLLS; poll += 1) {
      if (this.#does("waits-poll-interval")) this.#wait(interval);
      const state = await this.#call("tasks/get", { taskId });
      if (this.#does("takes-new-interval")) interval = Number(state.pollIntervalMs);
      if (isObject(state.result)) return state.result;
      if (state.status === "failed" || state.status === "cancelled") throw new Error(`The task is ${state.status}`);
      if (isGivenUp) {
        await this.#call("tasks/cancel", { taskId });
        this.#isOver = !this.#does("goes-on-after-giving-up");
        throw new Error("The task was given up");
      }
      const asked = isObject(state.inputRequests) ? Object.entries(state.inputRequests) : [];
      const open = asked.filter(([key]) => !answered.has(key));
      if (open.length === 0) continue;
      const inputResponses = Object.fromEntries(open.map(([key, ask]) => [key, inputFor(ask)]));
      await this.#call("tasks/update", { taskId, inputResponses });
      for (const [key] of open) answered.add(key);
    }
    throw new Error("The task does not end");
  }

  async #exchange(
    method: string,
    given: JsonObject,
    { isHandshake = false, tool }: { isHandshake?: boolean; tool?: JsonObject } = {},
  ): Promise<{ message: JsonObject | undefined; status: number; headers?: Headers }> {
    this.#ids += 1;
    const id = this.#ids;
    const own = { "io.modelcontextprotocol/clientCapabilities": MODERN_CAPABILITIES };
    const params = this.#isModern ? withMeta("2026-07-28", given, { meta: own }) : withoutLevel(given);
    const message: JsonObject = { jsonrpc: "2.0", id, method, params };
    const mirrored = this.#isModern
      ? { ...mirrorHeaders("2026-07-28", message), ...headersFor(tool, given.arguments) }
      : {};
    const sentIn = this.#session;
    const incoming = await this.#http("POST", message, lowered(mirrored), isHandshake);
    if (
      incoming.status === 404 &&
      sentIn !== undefined &&
      this.#does("renews-session") &&
      this.#renewals < (this.#does("bounds-renewals") ? 1 : 10)
    ) {
      await incoming.text();
      this.#renewals += 1;
      await this.#handshake();
      if (this.#does("calls-again")) return this.#exchange(method, given, { ...(tool ? { tool } : {}) });
      throw new Error("The session was lost");
    }
    if (given.name === "hang" && !this.#runsTasks) return this.#giveUp(incoming, id);
    const answered = await this.#read(incoming, id);
    return { message: answered, status: incoming.status, headers: incoming.headers };
  }

  /** Waits for the first change, and ends the subscription unless the server has. */
  async #listen(isAgain = false): Promise<void> {
    this.#ids += 1;
    const id = this.#ids;
    const own = { "io.modelcontextprotocol/clientCapabilities": MODERN_CAPABILITIES };
    const params = withMeta("2026-07-28", { notifications: { toolsListChanged: true } }, { meta: own });
    const message: JsonObject = { jsonrpc: "2.0", id, method: "subscriptions/listen", params };
    const incoming = await this.#http("POST", message, lowered(mirrorHeaders("2026-07-28", message)));
    let isChanged = false;
    let isEnded = false;
    // Leaving a loop would close the response.
    const events = incoming.events()[Symbol.asyncIterator]();
    for (let next = await events.next(); !next.done; next = await events.next()) {
      const value = parseJson(next.value.data);
      isChanged ||= isObject(value) && value.method === "notifications/tools/list_changed";
      isEnded ||= isResponse(value) && value.id === id;
      if (isEnded || isChanged) break;
    }
    if (!isChanged && !isEnded && !isAgain && this.#does("restores-subscription")) return this.#listen(true);
    if (isEnded && !this.#does("goes-on-after-subscription")) throw new Error("The subscription ended");
    if (isEnded ? this.#does("forgets-ended-subscription") : !this.#does("ends-subscription")) return;
    incoming.close();
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
    if (this.#isPipe || isEnded) await (await this.#http("POST", cancelled, {})).text();
  }

  /** Leaves a call that is not answered. */
  async #giveUp(incoming: Incoming, requestId: number): Promise<never> {
    // A response that is collected as garbage would be closed.
    this.#held.push(incoming);
    if (this.#does("gives-up")) {
      if (!this.#isPipe) incoming.close();
      const message = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason: "too slow" } };
      if (this.#isPipe || !this.#isModern) await (await this.#http("POST", message, {})).text();
    }
    this.#isOver = !this.#does("goes-on-after-giving-up");
    throw new Error("The call was given up");
  }

  /** The answer in a response, over as many streams as it takes. */
  async #read(incoming: Incoming, id: number): Promise<JsonObject | undefined> {
    if (!incoming.isStream) {
      const value = parseJson(await incoming.text());
      return isObject(value) ? value : undefined;
    }
    let stream = incoming;
    let last: string | undefined;
    let retryMs = 50;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      let found: JsonObject | undefined;
      for await (const event of stream.events()) {
        last = event.id || last;
        if (event.retry !== undefined) retryMs = Number(event.retry);
        const value = parseJson(event.data);
        if (isResponse(value) && (value.id === id || this.#isPipe)) found ??= value;
        else await this.#take(value);
      }
      if (found && this.#does("resumes-only-unanswered")) return found;
      const mayResume = this.#does("resumes") && !this.#isModern;
      if (!mayResume || (last === undefined && this.#does("resumes-only-with-id"))) throw new Error("No answer");
      if (this.#does("waits-retry")) this.#wait(retryMs);
      stream = await this.#http("GET", undefined, { "last-event-id": last ?? "0" });
      if (found) return found;
      if (last === undefined) break;
    }
    throw new Error("No answer");
  }

  /** A message of the server that answers nothing. */
  async #take(value: unknown): Promise<void> {
    if (isObject(value) && value.method === "notifications/resources/updated") this.#updated();
    if (!isRequest(value) || !this.#does("answers-requests")) return;
    if (this.#isModern && this.#does("ignores-modern-requests")) return;
    const response = { jsonrpc: "2.0", id: value.id, ...answerTo(value) };
    await (await this.#http("POST", response, {})).text();
  }

  async #http(
    verb: string,
    message: unknown,
    extra: Readonly<Record<string, string>>,
    isHandshake = false,
  ): Promise<Incoming> {
    if (this.#isOver) throw new Error("The client was closed");
    const session = this.#session === undefined ? {} : { "mcp-session-id": this.#session };
    const version = this.#isModern || isHandshake ? {} : { "mcp-protocol-version": this.#revision };
    const accept = verb === "POST" ? ACCEPT : "text/event-stream";
    const headers = { accept, ...session, ...version, ...extra };
    const call = { url: this.#url, verb, headers, ...(message === undefined ? {} : { message }) };
    const incoming = await (this.#sse ?? this.#login).send(call);
    if (incoming.status < 300 || incoming.status >= 400) return incoming;
    const location = new URL(incoming.headers.get("location") ?? "", this.#url);
    if (this.#does("refuses-redirects")) throw new Error(`Redirected to ${location.origin}`);
    return this.#sender.send({ ...call, url: location });
  }

  #does(habit: Parameters<Sender["does"]>[0]): boolean {
    return this.#sender.does(habit);
  }
}

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function withoutLevel({ _meta: meta, ...params }: JsonObject): JsonObject {
  if (!isObject(meta)) return params;
  return { ...params, _meta: { progressToken: meta.progressToken } };
}

/** The headers of annotated arguments, nested ones included. */
function headersFor(tool: JsonObject | undefined, args: unknown): Record<string, string> {
  const schema = isObject(tool?.inputSchema) ? tool.inputSchema : {};
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const values = isObject(args) ? args : {};
  return Object.fromEntries(
    properties.flatMap(([name, property]): [string, string][] => {
      const value = values[name];
      if (!isObject(property) || value === undefined || value === null) return [];
      if (isObject(property.properties)) return Object.entries(headersFor({ inputSchema: property }, value));
      const header = property["x-mcp-header"];
      return header === undefined ? [] : [[`mcp-param-${header}`, headerValue(String(value))]];
    }),
  );
}

function isWellAnnotated(tool: JsonObject): boolean {
  const names = annotationsOf(tool).map(([, header]) => header.toLowerCase());
  const schema = isObject(tool.inputSchema) && isObject(tool.inputSchema.properties) ? tool.inputSchema.properties : {};
  const annotated = Object.values(schema).filter((property) => isObject(property) && "x-mcp-header" in property);
  const isPrimitive = annotated.every((property) =>
    ["string", "integer", "boolean"].includes(String((property as JsonObject).type)),
  );
  return (
    isPrimitive && new Set(names).size === names.length && names.every((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name))
  );
}

const SAMPLED: JsonObject = { role: "assistant", model: "none", content: { type: "text", text: "sampled" } };

/** The answer to a question in an input round. */
function inputFor(request: unknown): JsonObject {
  const answered = isObject(request) ? answerTo(request) : {};
  return isObject(answered.result) ? answered.result : {};
}

/** A result or an error. */
function answerTo({ method, params: given }: JsonObject): JsonObject {
  const params = isObject(given) ? given : {};
  if (method === "ping") return { result: {} };
  if (method === "roots/list") return { result: { roots: [{ uri: "file:///somewhere", name: "somewhere" }] } };
  if (method === "sampling/createMessage")
    return isBalanced(params.messages) ? { result: SAMPLED } : refusal(-32602, "The messages are not balanced");
  if (method === "elicitation/create") {
    if (params.mode !== undefined && params.mode !== "form" && params.mode !== "url")
      return refusal(-32602, "Unknown mode");
    return { result: params.mode === "url" ? { action: "accept" } : { action: "accept", content: filled(params) } };
  }
  return refusal(-32601, `There is no method ${method}`);
}

function refusal(code: number, message: string): JsonObject {
  return { error: { code, message } };
}

function filled({ requestedSchema: schema }: JsonObject): JsonObject {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      isObject(property) && "default" in property ? property.default : "text",
    ]),
  );
}

function isBalanced(messages: unknown): boolean {
  const blocks = (Array.isArray(messages) ? messages : []).map((message) =>
    isObject(message) ? [message.content].flat().map((block) => (isObject(block) ? block.type : undefined)) : [],
  );
  const isMixed = blocks.some((types) => types.includes("tool_result") && types.some((type) => type !== "tool_result"));
  const uses = blocks.findIndex((types) => types.includes("tool_use"));
  return !isMixed && (uses < 0 || (blocks[uses + 1]?.includes("tool_result") ?? false));
}
