/** A plain server of one revision, modern or legacy, which the script of a scenario changes. */
import { isModern } from "../target/envelope.js";
import type { PlayedReply } from "../wire/http-listener.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { answer, empty, eventStream, refuse } from "./replies.js";
import type { Script } from "./scenario.js";
import { requestsOf, type SeenRequest, type Sighting } from "./sighting.js";
import type { Stage } from "./stage.js";

/** A cursor that no client may change. */
export const ODD_CURSOR = "  odd cursor/+=?&%20 ";

const SERVER_INFO = { name: "parley-check", version: "0.0.0" };

const TOOLS: readonly JsonObject[] = [
  {
    name: "echo",
    description: "Repeats a text",
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", default: "hello" },
        region: { type: "string", default: "north", "x-mcp-header": "Region" },
      },
    },
    annotations: { readOnlyHint: true },
  },
  { name: "weather", description: "Tells the weather", inputSchema: { type: "object" } },
];

/** The id of the n-th session of a run. */
export function sessionId(number: number): string {
  return `parley-check-session-${number}`;
}

export class PlayedServer {
  readonly #stage: Stage;
  readonly #script: Script;
  #sessions = 0;
  #live: string | undefined;

  constructor(stage: Stage, script: Script) {
    this.#stage = stage;
    this.#script = script;
  }

  async play(sighting: Sighting): Promise<PlayedReply> {
    const scripted = await this.#script.intercept?.(sighting);
    if (scripted) return scripted;
    const isForServer = sighting.origin === "mcp" && sighting.path.startsWith("/mcp");
    if (!isForServer && sighting.origin !== "pipe") return empty(404);
    return isModern(this.#stage.revision) ? this.#modern(sighting) : this.#legacy(sighting);
  }

  async #modern(sighting: Sighting): Promise<PlayedReply> {
    const { verb, value } = sighting;
    if (!isMessage(verb)) return empty(405, { allow: "POST" });
    if (!isObject(value)) return refuse(400, undefined, -32600, "Invalid request");
    const [request] = requestsOf([sighting]);
    if (!request) return empty(202);
    if (request.method === "initialize") {
      const data = { supported: [this.#stage.revision], requested: String(request.params.protocolVersion) };
      return refuse(400, value.id, -32022, `This server speaks ${this.#stage.revision} alone`, data);
    }
    const reply = await this.#answer(request);
    // A session id that modern clients have to ignore.
    return { ...reply, headers: { ...reply.headers, "mcp-session-id": sessionId(1) } };
  }

  async #legacy(sighting: Sighting): Promise<PlayedReply> {
    const { verb, headers, value } = sighting;
    const isLive = this.#live !== undefined && headers["mcp-session-id"] === this.#live;
    const isKnown = this.#script.hasNoSessions || isLive;
    if (verb === "GET") return isKnown ? eventStream(":\n\n", "open") : empty(404);
    if (!isMessage(verb)) return empty(verb === "DELETE" ? 200 : 405);
    if (value === undefined) return refuse(400, undefined, -32700, "No JSON");
    const [request] = requestsOf([sighting]);
    if (request?.method === "initialize") return this.#open(request);
    if (headers["mcp-session-id"] === undefined && !this.#script.hasNoSessions)
      return refuse(400, undefined, -32000, "Bad Request: Mcp-Session-Id header is required");
    if (!isKnown) return empty(404);
    return request ? this.#answer(request) : empty(202);
  }

  async #open(request: SeenRequest): Promise<PlayedReply> {
    const scripted = await this.#script.answers?.initialize?.(request);
    if (scripted) return scripted;
    if (this.#script.hasNoSessions) return answer(request, this.#opening());
    this.#sessions += 1;
    this.#live = sessionId(this.#sessions);
    return answer(request, this.#opening(), { "mcp-session-id": this.#live });
  }

  /** The result of initialize. */
  #opening(): JsonObject {
    return { protocolVersion: this.#stage.revision, capabilities: this.#capabilities(), serverInfo: SERVER_INFO };
  }

  /** The answer to a request other than initialize. */
  async #answer(request: SeenRequest): Promise<PlayedReply> {
    const scripted = await this.#script.answers?.[request.method]?.(request);
    if (scripted) return scripted;
    const result = this.#result(request);
    const status = isModern(this.#stage.revision) ? 404 : 200;
    return result
      ? answer(request, result)
      : refuse(status, request.message.id, -32601, `There is no method ${request.method}`);
  }

  #result({ method, params }: SeenRequest): JsonObject | undefined {
    const { tools, resources, prompts } = this.#script;
    if (method === "server/discover" && isModern(this.#stage.revision))
      return { supportedVersions: [this.#stage.revision], capabilities: this.#capabilities() };
    if (method === "ping" && !isModern(this.#stage.revision)) return {};
    if (method === "tools/list") return tools ? { tools } : pageOf(params.cursor);
    if (method === "tools/call") return { content: [{ type: "text", text: "done" }] };
    if (method === "resources/list" && resources) return { resources };
    if (method === "resources/read" && resources) return { contents: [{ uri: String(params.uri), text: "read" }] };
    if (method === "prompts/list" && prompts) return { prompts };
    if (method === "prompts/get" && prompts)
      return { messages: [{ role: "user", content: { type: "text", text: "got" } }] };
    return undefined;
  }

  #capabilities(): JsonObject {
    const { resources, prompts, capabilities } = this.#script;
    return { tools: {}, ...(resources ? { resources: {} } : {}), ...(prompts ? { prompts: {} } : {}), ...capabilities };
  }
}

function isMessage(verb: string): boolean {
  return verb === "POST" || verb === "line";
}

function pageOf(cursor: unknown): JsonObject {
  return cursor === undefined ? { tools: TOOLS.slice(0, 1), nextCursor: ODD_CURSOR } : { tools: TOOLS.slice(1) };
}
