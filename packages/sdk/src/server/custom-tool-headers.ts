/**
 * Header checks for servers with a custom `tools/call` handler. Hosts know the header annotations of registered tools only.
 * For other tools, this class calls the server's own `tools/list` on behalf of the same client.
 */
import type { InboundRequest, RequestId } from "../dispatch/dispatcher.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { PARAM_HEADER_PREFIX } from "../protocol/http-headers.js";
import { findToolHeaders, type ToolHeader } from "../protocol/tool-header-annotations.js";
import { BoundedMap } from "../runtime/bounded-map.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { markHandled } from "../runtime/maybe-promise.js";
import type { Caller } from "../transport/caller.js";
import { findParamFault, mismatch } from "./param-headers.js";

/** Pages of `tools/list` to read for one tool. */
const MAX_PAGES = 100;
const MAX_TOOLS = 10_000;
const MAX_BYTES = 8_388_608;
/** The bytes of an entry besides its texts. */
const ENTRY_BYTES = 256;
/** Time before a name that was not listed is looked up again. */
const UNLISTED_MS = 10_000;

/** Serves a request that the server makes itself, as if the client had sent it. */
export type ServeAs = (inbound: InboundRequest) => JsonObject | Promise<JsonObject>;

export class CustomToolHeaders {
  /** By principal and tool name, since a server may list different tools to different principals. */
  readonly #known = new BoundedMap<string, readonly ToolHeader[]>({ maxEntries: MAX_TOOLS, maxWeight: MAX_BYTES });
  /** The time of the next look-up for a name that was not listed. Same keys as `#known`. */
  readonly #unlisted = new BoundedMap<string, number>({ maxEntries: MAX_TOOLS, maxWeight: MAX_BYTES });
  readonly #now: () => number;
  /** Counts changes of the list. A look-up that spans a change is not remembered. */
  #changes = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Forgets all tools. Called when the list changes. */
  clear(): void {
    this.#changes += 1;
    this.#known.clear();
    this.#unlisted.clear();
  }

  /**
   * Checks the headers of a `tools/call` over HTTP.
   * @param serve answers `tools/list` for the same client
   * @throws {ProtocolError} -32020 for headers that differ from the body, and for headers of a tool that is not listed
   */
  async check(inbound: InboundRequest, headers: Readonly<Record<string, string>>, serve: ServeAs): Promise<void> {
    const { name, arguments: args } = inbound.params ?? {};
    const stated = (header: string) => headers[header];
    const key = keyOf(inbound.caller, String(name));
    const known = this.#known.get(key);
    if (known && !findParamFault(known, args, stated)) return;
    if (known || !this.#isUnlisted(key)) await this.#learn(inbound, key, serve);
    const listed = this.#known.get(key);
    const stray = listed ? undefined : Object.keys(headers).find((header) => header.startsWith(PARAM_HEADER_PREFIX));
    if (stray !== undefined) throw mismatch(stray, `cannot be checked: tools/list has no tool ${JSON.stringify(name)}`);
    const fault = listed && findParamFault(listed, args, stated);
    if (fault) throw fault;
  }

  #isUnlisted(key: string): boolean {
    const untilMs = this.#unlisted.get(key);
    return untilMs !== undefined && this.#now() < untilMs;
  }

  /** Reads the list for a tool. Remembers the name if it is not listed. */
  async #learn(inbound: InboundRequest, wanted: string, serve: ServeAs): Promise<void> {
    const changes = this.#changes;
    await this.#read(inbound, wanted, serve);
    if (this.#known.has(wanted) || this.#changes !== changes) return;
    this.#unlisted.set(wanted, this.#now() + UNLISTED_MS, ENTRY_BYTES + 2 * wanted.length);
  }

  /** Reads the list up to the wanted tool, and remembers all tools on the way. */
  async #read(inbound: InboundRequest, wanted: string, serve: ServeAs): Promise<void> {
    this.#known.delete(wanted);
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES && !this.#known.has(wanted); page += 1) {
      const { tools, nextCursor } = await listPage(serve, new ListingRequest(inbound, cursor));
      for (const tool of Array.isArray(tools) ? tools : []) this.#remember(inbound.caller, tool);
      if (nextCursor === undefined) return;
      cursor = nextCursor;
    }
  }

  #remember(caller: Caller | undefined, tool: unknown): void {
    if (!isJsonObject(tool)) return;
    const annotated = findToolHeaders(tool.inputSchema);
    const headers = annotated.ok ? annotated.headers : [];
    const key = keyOf(caller, String(tool.name));
    this.#unlisted.delete(key);
    const texts = headers.flatMap(({ header, path }) => [header, ...path]);
    this.#known.set(key, headers, ENTRY_BYTES + [key, ...texts].reduce((bytes, text) => bytes + 2 * text.length, 0));
  }
}

/** A server without `tools/list` lists no tools. */
async function listPage(serve: ServeAs, listing: InboundRequest): Promise<JsonObject> {
  try {
    return await serve(listing);
  } catch (error) {
    if (error instanceof ProtocolError && error.code === ErrorCode.methodNotFound) return {};
    throw error;
  }
}

function keyOf(caller: Caller | undefined, name: string): string {
  return JSON.stringify([caller?.principal ?? null, name]);
}

/** A `tools/list` request on behalf of the client whose call is checked. It sends nothing to that client. */
class ListingRequest implements InboundRequest {
  readonly method = "tools/list";
  readonly params: JsonObject;
  readonly #call: InboundRequest;

  constructor(call: InboundRequest, cursor: unknown) {
    this.#call = call;
    const { progressToken, ...meta } = isJsonObject(call.params?._meta) ? call.params._meta : {};
    this.params = cursor === undefined ? { _meta: meta } : { _meta: meta, cursor };
  }

  get id(): RequestId {
    return this.#call.id;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get caller(): Caller | undefined {
    return this.#call.caller;
  }

  get isSettled(): boolean {
    return this.#call.isSettled;
  }

  notify(): Promise<void> {
    return Promise.resolve();
  }

  request(method: string): Promise<never> {
    const complaint = `${method} cannot be sent: protocol revision 2026-07-28 has no requests to the client`;
    return markHandled(Promise.reject(new SdkError("method-not-in-revision", complaint)));
  }
}
