/**
 * A server of both eras, written without the SDK, that does everything right. A fault switches one of its guards off or
 * changes its replies. `scripted-http.fixture.ts` and `scripted-pipe.fixture.ts` put it behind a connection.
 */
import { NEWEST_REVISION, REVISIONS, type Revision } from "parley-requirements";
import { isNotification, isObject, isRequest, isResponse, type JsonObject } from "../wire/json-rpc.js";
import { RpcError } from "./rpc-error.fixture.js";
import { type Surveys, serveAsk, serveJob, serveSurvey, serveTask, TASKS } from "./scripted-asking.fixture.js";
import { CONTENTS, GALLERY, PROMPTS, RESOURCES, TEMPLATES, TOOLS } from "./scripted-content.fixture.js";
import { SKILLS, serveSkills } from "./scripted-skills.fixture.js";

export interface Reply {
  status: number;
  headers: Record<string, string>;
  messages: unknown[];
  /** The messages go out as events. */
  isStream: boolean;
  /** The stream stays open after its messages. */
  staysOpen: boolean;
  /** Events carry ids with this prefix. */
  idPrefix: string | undefined;
  /** The stream begins with an event of an id and no data. */
  isPrimed: boolean;
  /** The messages go out as one array. */
  isBatch: boolean;
  /** A body in place of the messages. */
  text: string | undefined;
}

export interface Incoming {
  readonly verb: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly message: JsonObject | undefined;
  readonly kind: "http" | "stdio";
  readonly revision: Revision;
}

export interface Fault {
  /** Names of guards that are off. */
  readonly without?: readonly string[];
  /** Changes a reply before it goes out. */
  readonly change?: (reply: Reply, incoming: Incoming) => void;
  /** Makes the id of a session out of its number. */
  readonly sessionId?: (number: number) => string;
}

export interface Setup {
  readonly revisions?: readonly Revision[];
  /** Every request over HTTP needs this token. */
  readonly token?: string;
  /** Capabilities that the server does not have. */
  readonly lacks?: readonly string[];
}

interface Served {
  readonly result: JsonObject;
  readonly notifications: JsonObject[];
}

const PREFIX = "io.modelcontextprotocol/";
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const CACHEABLE = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "skills/list",
  "skills/get",
]);
const LEGACY_METHODS = new Set(["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]);
const PAGE = 2;

export function emptyReply(status: number): Reply {
  return {
    status,
    headers: {},
    messages: [],
    isStream: false,
    staysOpen: false,
    idPrefix: undefined,
    isPrimed: false,
    isBatch: false,
    text: undefined,
  };
}

export function errorMessage(error: unknown, id: unknown): JsonObject {
  const { code, message, data } = error instanceof RpcError ? error : new RpcError(-32603, String(error));
  return { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error: { code, message, ...(data ? { data } : {}) } };
}

export class ScriptedServer {
  readonly setup: Setup;
  readonly fault: Fault;
  level = "info";
  readonly #surveys: Surveys = new Map();

  constructor(fault: Fault = {}, setup: Setup = {}) {
    this.fault = fault;
    this.setup = setup;
  }

  guards(name: string): boolean {
    return !this.fault.without?.includes(name);
  }

  get revisions(): readonly Revision[] {
    return this.setup.revisions ?? REVISIONS;
  }

  get legacyRevisions(): readonly Revision[] {
    return this.revisions.filter((revision) => revision < NEWEST_REVISION);
  }

  /** Serves one request of either era. The reply has its notifications first. */
  serve(message: JsonObject, revision: Revision, kind: "http" | "stdio"): Reply {
    const reply = emptyReply(200);
    const { id, method } = message;
    try {
      const { result, notifications } = this.#dispatch(message, revision, kind);
      reply.messages = [...notifications];
      if (method === "subscriptions/listen") {
        reply.staysOpen = true;
        reply.isStream = true;
      } else {
        reply.messages.push({ jsonrpc: "2.0", id, result: this.#dress(String(method), result, revision) });
        reply.isStream = notifications.length > 0;
      }
    } catch (error) {
      reply.messages = [errorMessage(error, id)];
      const status = error instanceof RpcError ? error.status : 200;
      reply.status = revision === NEWEST_REVISION ? status : 200;
    }
    return reply;
  }

  #dress(method: string, result: JsonObject, revision: Revision): JsonObject {
    if (revision !== NEWEST_REVISION) return result;
    const info = { [`${PREFIX}serverInfo`]: { name: "scripted", version: "1.0.0" } };
    const hints = CACHEABLE.has(method) ? { ttlMs: 1000, cacheScope: "private" } : {};
    return { resultType: "complete", ...result, ...hints, _meta: info };
  }

  #dispatch(message: JsonObject, revision: Revision, kind: "http" | "stdio"): Served {
    const method = String(message.method);
    const isModern = revision === NEWEST_REVISION;
    const params = isObject(message.params) ? message.params : {};
    const notFound = new RpcError(-32601, `There is no method ${method}`, 404);
    if (isModern && (LEGACY_METHODS.has(method) || method === "initialize") && this.guards(`removed ${method}`)) {
      throw notFound;
    }
    if (!isModern && (method === "server/discover" || method === "subscriptions/listen")) throw notFound;
    if (message.params !== undefined && !isObject(message.params) && this.guards("params")) {
      throw new RpcError(-32602, "params must be an object");
    }
    const guards = (name: string) => this.guards(name);
    const result = (value: JsonObject): Served => ({ result: value, notifications: [] });
    const has = (name: string) => !this.setup.lacks?.includes(name);
    switch (method) {
      case "server/discover":
        return result({
          supportedVersions: [...this.revisions],
          capabilities: this.capabilities(revision),
          instructions: "Ask.",
        });
      case "initialize":
      case "ping":
        return result({});
      case "tools/list":
        if (!has("tools")) throw notFound;
        return result(
          this.#page(
            "tools",
            TOOLS.map((tool) => forRevision(tool, revision)),
            params,
          ),
        );
      case "resources/list":
        return result(this.#page("resources", RESOURCES, params));
      case "resources/templates/list":
        return result(this.#page("resourceTemplates", TEMPLATES, params));
      case "prompts/list":
        return result(this.#page("prompts", PROMPTS, params));
      case "resources/read":
        return result({ contents: [this.#read(params, revision)] });
      case "resources/subscribe":
      case "resources/unsubscribe":
        if (typeof params.uri !== "string") throw new RpcError(-32602, "params.uri must be a string");
        return result({});
      case "prompts/get":
        return result(this.#prompt(params));
      case "completion/complete":
        if (!has("completions") && this.guards("completions declared")) throw notFound;
        return result(this.#complete(params));
      case "logging/setLevel":
        if (!has("logging") && this.guards("logging declared")) throw notFound;
        if (!LEVELS.includes(String(params.level)) && this.guards("level")) {
          throw new RpcError(-32602, "params.level must be a level");
        }
        this.level = String(params.level);
        return result({});
      case "tools/call":
        return this.#call(params, revision);
      case "tasks/get":
      case "tasks/result":
      case "tasks/cancel":
      case "tasks/update":
      case "tasks/list":
        return result(serveTask(guards, method, params, revision, this.#surveys) ?? fail(notFound));
      case "skills/list":
      case "skills/get":
      case "resources/directory/read":
        return result((isModern && serveSkills(guards, method, params)) || fail(notFound));
      case "subscriptions/listen":
        return { result: {}, notifications: [this.#acknowledge(message, params)] };
      default:
        if (this.guards("unknown method")) throw notFound;
        return result({ kind });
    }
  }

  capabilities(revision: Revision): JsonObject {
    const all: JsonObject = {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: {},
      logging: {},
      ...(revision >= "2025-03-26" ? { completions: {} } : {}),
      ...(revision === "2025-11-25" ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } } : {}),
      ...(revision === NEWEST_REVISION
        ? { extensions: { "com.example/demo": {}, [TASKS]: {}, [SKILLS]: { directoryRead: true } } }
        : {}),
    };
    return Object.fromEntries(Object.entries(all).filter(([name]) => !this.setup.lacks?.includes(name)));
  }

  #page(member: string, items: readonly JsonObject[], { cursor }: JsonObject): JsonObject {
    if (cursor !== undefined && typeof cursor !== "string" && this.guards(`cursor type ${member}`)) {
      throw new RpcError(-32602, "params.cursor must be a string");
    }
    const known = /^from-(\d+)$/.exec(String(cursor));
    if (cursor !== undefined && !known && this.guards(`cursor ${member}`)) {
      throw new RpcError(-32602, "params.cursor is not a cursor of this list");
    }
    const start = Number(known?.[1] ?? 0);
    const page = items.slice(start, start + PAGE);
    const end = start + page.length;
    return { [member]: structuredClone(page), ...(end < items.length ? { nextCursor: `from-${end}` } : {}) };
  }

  #read({ uri }: JsonObject, revision: Revision): JsonObject {
    if (typeof uri !== "string" && this.guards("uri")) throw new RpcError(-32602, "params.uri must be a string");
    const contents = CONTENTS[String(uri)];
    if (!contents) {
      const code = revision === NEWEST_REVISION ? -32602 : -32002;
      throw new RpcError(code, `There is no resource ${uri}`, 200, { uri });
    }
    return { ...contents };
  }

  #prompt({ name, arguments: given }: JsonObject): JsonObject {
    if (typeof name !== "string" && this.guards("prompt name type")) {
      throw new RpcError(-32602, "params.name must be a string");
    }
    const prompt = PROMPTS.find((candidate) => candidate.name === name);
    if (!prompt && this.guards("prompt name")) throw new RpcError(-32602, `There is no prompt ${name}`);
    const listed = Array.isArray(prompt?.arguments) ? prompt.arguments : [];
    const lacking = listed.find((item) => item.required && !(isObject(given) && item.name in given));
    if (lacking && this.guards("prompt arguments")) throw new RpcError(-32602, `arguments.${lacking.name} is required`);
    return {
      description: "A greeting",
      messages: [
        { role: "user", content: { type: "text", text: "Greet me." } },
        { role: "assistant", content: { type: "text", text: "Hello." } },
      ],
    };
  }

  #complete({ ref, argument }: JsonObject): JsonObject {
    const refuse = (guard: string, isWrong: boolean, message: string) => {
      if (isWrong && this.guards(guard)) throw new RpcError(-32602, message);
    };
    refuse("completion ref", !isObject(ref), "params.ref must be an object");
    refuse("completion argument", !isObject(argument), "params.argument must be an object");
    const { type, name, uri } = isObject(ref) ? ref : {};
    const isKnown =
      type === "ref/prompt"
        ? PROMPTS.some((prompt) => prompt.name === name)
        : type === "ref/resource" && TEMPLATES.some(({ uriTemplate }) => uriTemplate === uri);
    refuse(`completion ${type}`, isObject(ref) && !isKnown, "params.ref names nothing");
    return { completion: { values: ["Ada", "Alan"], total: 2, hasMore: false } };
  }

  #call(params: JsonObject, revision: Revision): Served {
    const { name, arguments: given = {}, _meta: meta = {} } = params;
    if (typeof name !== "string" && this.guards("tool name type")) {
      throw new RpcError(-32602, "params.name must be a string");
    }
    const tool = TOOLS.find((candidate) => candidate.name === name);
    if (!tool && this.guards("tool name")) throw new RpcError(-32602, `There is no tool ${name}`);
    const text = (value: string): JsonObject => ({ content: [{ type: "text", text: value }] });
    const args = isObject(given) ? given : {};
    if (!isObject(given) && this.guards("arguments type"))
      throw new RpcError(-32602, "params.arguments must be an object");
    if (name === "echo" && typeof args.text !== "string" && this.guards("arguments")) {
      if (revision < "2025-11-25") throw new RpcError(-32602, "arguments.text must be a string");
      return { result: { ...text("arguments.text must be a string"), isError: true }, notifications: [] };
    }
    if (name === "weather") {
      const structured = revision >= "2025-06-18" ? { structuredContent: { celsius: 7 } } : {};
      return { result: { ...text('{"celsius":7}'), ...structured }, notifications: [] };
    }
    if (name === "gallery") {
      const since: Record<string, string> = { audio: "2025-03-26", resource_link: "2025-06-18" };
      const content = GALLERY.filter((block) => revision >= (since[String(block.type)] ?? ""));
      return { result: { content: structuredClone(content) }, notifications: [] };
    }
    const guards = (guard: string) => this.guards(guard);
    const job = name === "job" ? serveJob(guards, params, revision) : undefined;
    if (job) return { result: job, notifications: [] };
    const survey = name === "survey" && revision === NEWEST_REVISION ? serveSurvey(params, this.#surveys) : undefined;
    if (survey) return { result: survey, notifications: [] };
    const hasTasks = revision === "2025-11-25" && !this.setup.lacks?.includes("tasks");
    if (params.task !== undefined && hasTasks && this.guards("task forbidden")) {
      throw new RpcError(-32601, "This tool does not run as a task");
    }
    if (name === "ask" && revision === NEWEST_REVISION)
      return { result: serveAsk(guards, params, text("done")), notifications: [] };
    const notifications = name === "noisy" ? this.#noise(isObject(meta) ? meta : {}, revision) : [];
    return { result: text(String(args.text ?? "done")), notifications };
  }

  #noise(meta: JsonObject, revision: Revision): JsonObject[] {
    const token = meta.progressToken;
    const progress = [1, 2, 3].map((value) =>
      notification("notifications/progress", { progressToken: token, progress: value, total: 3 }),
    );
    const asked = revision === NEWEST_REVISION ? meta[`${PREFIX}logLevel`] : this.level;
    if (asked !== undefined && !LEVELS.includes(String(asked)) && this.guards("meta log level")) {
      throw new RpcError(-32602, `_meta ${PREFIX}logLevel must be a level`);
    }
    const isHeard = (level: string) => LEVELS.indexOf(level) >= LEVELS.indexOf(String(asked));
    const isLogging = asked !== undefined && !this.setup.lacks?.includes("logging");
    const logged = ["debug", "info", "error"].filter((level) => isLogging && isHeard(level));
    const messages = logged.map((level) =>
      notification("notifications/message", { level, logger: "noisy", data: { level } }),
    );
    return [...(token === undefined ? [] : progress), ...messages];
  }

  #acknowledge({ id }: JsonObject, { notifications }: JsonObject): JsonObject {
    if (!isObject(notifications) && this.guards("listen filter")) {
      throw new RpcError(-32602, "params.notifications must be an object");
    }
    const asked = isObject(notifications) ? notifications : {};
    const { tools, resources } = this.capabilities(NEWEST_REVISION);
    const honored = {
      ...(asked.toolsListChanged && tools ? { toolsListChanged: true } : {}),
      ...(asked.resourcesListChanged && resources ? { resourcesListChanged: true } : {}),
      ...(asked.resourceSubscriptions && resources ? { resourceSubscriptions: asked.resourceSubscriptions } : {}),
    };
    return notification("notifications/subscriptions/acknowledged", {
      _meta: { [`${PREFIX}subscriptionId`]: id },
      notifications: honored,
    });
  }

  /** @throws {RpcError} for a modern request whose metadata is not right. */
  checkEnvelope(message: JsonObject): void {
    const refuse = (guard: string, isWrong: boolean, what: string) => {
      if (isWrong && this.guards(guard)) throw new RpcError(-32602, what, 400);
    };
    const params = isObject(message.params) ? message.params : {};
    const meta = isObject(params._meta) ? params._meta : {};
    const revision = meta[`${PREFIX}protocolVersion`];
    const capabilities = meta[`${PREFIX}clientCapabilities`];
    const info = meta[`${PREFIX}clientInfo`];
    refuse("meta", !isObject(params._meta), "params._meta is required");
    refuse("meta revision", isObject(params._meta) && revision === undefined, "_meta protocolVersion is required");
    refuse("meta revision type", revision !== undefined && typeof revision !== "string", "protocolVersion: a string");
    refuse("meta capabilities", isObject(params._meta) && capabilities === undefined, "clientCapabilities is required");
    refuse(
      "meta capabilities type",
      capabilities !== undefined && !isObject(capabilities),
      "clientCapabilities: an object",
    );
    refuse("meta info type", info !== undefined && !isObject(info), "clientInfo: an object");
    const token = meta.progressToken;
    refuse("progress token", token !== undefined && !["string", "number"].includes(typeof token), "progressToken");
    if (
      typeof revision === "string" &&
      !this.revisions.includes(revision as Revision) &&
      this.guards(`revision ${message.method}`)
    ) {
      const data = { supported: [...this.revisions], requested: revision };
      throw new RpcError(-32022, "Unsupported protocol version", 400, data);
    }
  }

  /** @throws {RpcError} if the server speaks no legacy revision. */
  refuseLegacy(): void {
    if (this.legacyRevisions.length > 0) return;
    throw new RpcError(-32022, `Speak ${this.revisions.join(", ")}`, 400, { supported: [...this.revisions] });
  }

  /** The result of `initialize`. */
  initialize(params: unknown): JsonObject {
    const given = isObject(params) ? params : {};
    const { protocolVersion, capabilities, clientInfo } = given;
    const refuse = (guard: string, isWrong: boolean) => {
      if (isWrong && this.guards(guard)) throw new RpcError(-32602, `params.${guard.split(" ")[1]} is required`);
    };
    refuse("initialize protocolVersion", typeof protocolVersion !== "string");
    refuse("initialize capabilities", !isObject(capabilities));
    refuse("initialize clientInfo", !isObject(clientInfo));
    const known = this.legacyRevisions.find((revision) => revision === protocolVersion);
    const revision = known ?? this.legacyRevisions.at(-1) ?? "2025-11-25";
    return {
      protocolVersion: revision,
      capabilities: this.capabilities(revision),
      serverInfo: { name: "scripted", version: "1.0.0" },
      instructions: "Ask.",
    };
  }
}

function forRevision(tool: JsonObject, revision: Revision): JsonObject {
  const { execution, ...plain } = tool;
  const { outputSchema, title, icons, ...rest } = plain;
  if (revision >= "2025-11-25") return revision === "2025-11-25" ? tool : plain;
  return revision >= "2025-06-18"
    ? { ...rest, ...(title ? { title } : {}), ...(outputSchema ? { outputSchema } : {}) }
    : rest;
}

function fail(error: RpcError): never {
  throw error;
}

function notification(method: string, params: JsonObject): JsonObject {
  return { jsonrpc: "2.0", method, params };
}

/** The guard that refuses a value that is no message. */
export function frameGuard(value: unknown): string {
  if (!isObject(value)) return "scalar";
  if (typeof value.method !== "string") return "message";
  return value.jsonrpc === "2.0" ? "id" : "jsonrpc";
}

/** The kind of a parsed message. */
export function kindOf(value: unknown): "request" | "notification" | "response" | "none" {
  if (!isObject(value) || value.jsonrpc !== "2.0") return "none";
  if (isRequest(value)) return typeof value.id === "string" || Number.isInteger(value.id) ? "request" : "none";
  if (isNotification(value)) return "notification";
  return isResponse(value) ? "response" : "none";
}
