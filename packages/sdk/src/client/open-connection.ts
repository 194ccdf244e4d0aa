/** Requests and notifications of an open connection: checked before they go out, and their answers before they are handed on. */
import type { BatchCall, Dispatcher, RequestOptions } from "../dispatch/dispatcher.js";
import type { ClientIdentity, EraCodec } from "../era/era-codec.js";
import { legacyCodec } from "../era/legacy-codec.js";
import { modernCodec } from "../era/modern-codec.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import {
  findNotification,
  findRequest,
  hasBatches,
  hasCapability,
  isSpecMethod,
  type RequestSpec,
} from "../protocol/method-table.js";
import { eraOf, type Revision } from "../protocol/revisions.js";
import { salvage } from "../protocol/salvage.js";
import { explain } from "../protocol/shape.js";
import { inputRequiredResultShape } from "../protocol/shapes/input-required.js";
import { metaRefusal } from "../routing/defined-message.js";
import { type Middleware, runThrough } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import type { CacheQuery } from "./cache-key.js";
import { type ClientExtensions, readResult } from "./extensions.js";
import { serverInfoIn, type Verdict } from "./negotiation.js";
import { OutgoingBatch } from "./outgoing-batch.js";
import type { ResultCache } from "./result-cache.js";

/** Options of one request. */
export interface FetchOptions extends RequestOptions {
  /** Ask the server even if the client's cache holds a fresh result. What it answers is kept as usual. */
  readonly fresh?: boolean;
  /**
   * Modern only: send the request again, once and under a new id, if its response breaks off. The server may have served it
   * before.
   * @defaultValue true for lists, reads, prompts and completions, and for listed tools that are annotated as read-only or
   * idempotent
   */
  readonly reissue?: boolean;
}

export interface OpenConnectionOptions {
  readonly identity: ClientIdentity;
  readonly isStrict: boolean;
  readonly middleware: readonly Middleware<RequestContext>[];
  readonly cache: ResultCache | undefined;
  readonly extensions: ClientExtensions;
  /** Hears of the parts of answers that were left out. */
  readonly report: (error: Error) => void;
}

export class OpenConnection {
  readonly #dispatcher: Dispatcher;
  readonly #options: OpenConnectionOptions;
  readonly #codec: EraCodec;
  readonly #stamp: JsonObject | undefined;
  #verdict: Verdict;
  #isAnswered = false;

  constructor(dispatcher: Dispatcher, verdict: Verdict, options: OpenConnectionOptions) {
    this.#dispatcher = dispatcher;
    this.#verdict = verdict;
    this.#options = options;
    this.#codec = eraOf(verdict.revision) === "modern" ? modernCodec : legacyCodec;
    this.#stamp = this.#codec.requestStamp(verdict.revision, options.identity);
  }

  get verdict(): Verdict {
    return this.#verdict;
  }

  /** Whether the server has answered a request with a result. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Whether arguments of tools are repeated in headers: the modern era does, where there are headers. */
  get mirrorsArguments(): boolean {
    return this.#codec.era === "modern" && this.#dispatcher.carriesHeaders;
  }

  /** @throws {SdkError} at once for what must not be sent. */
  request(method: string, params: JsonObject, options: FetchOptions = {}): Promise<JsonObject> {
    const { middleware } = this.#options;
    if (middleware.length === 0) return this.#send(method, params, options);
    return this.#runThrough(method, params, (given) => this.#send(method, given, options));
  }

  /** @throws {SdkError} `method-not-in-revision`, `capability-not-supported` for what this client did not declare. */
  async notify(method: string, params: JsonObject): Promise<void> {
    const { revision } = this.#verdict;
    const spec = findNotification(revision, "client", method);
    if (isSpecMethod(method) && !spec) throw notInRevision(method, revision);
    const needed = spec?.capability;
    if (needed !== undefined && !hasCapability(this.#options.identity.capabilities, needed)) {
      const complaint = `${method} was not sent: this client did not declare ${needed} in its capabilities`;
      throw new SdkError("capability-not-supported", complaint);
    }
    // A server that did not ask for an extension does without its notifications.
    if (this.#options.extensions.lackingAt(method, this.#verdict)) return;
    const badMeta = metaRefusal(method, params);
    if (badMeta) throw badMeta;
    const call = { kind: "notification", direction: "outbound", revision, method, params, context: undefined } as const;
    await runThrough(this.#options.middleware, call, (given) => this.#dispatcher.notify(method, given));
  }

  /**
   * Several requests as one message; each passes the middleware, is checked and settles on its own.
   * @throws {SdkError} `method-not-in-revision` where there are no batches.
   */
  async requestBatch(calls: readonly BatchCall[]): Promise<PromiseSettledResult<JsonObject>[]> {
    if (!hasBatches(this.#verdict.revision)) {
      throw new SdkError("method-not-in-revision", "Batches exist in 2025-03-26 alone: send the requests one by one");
    }
    const batch = new OutgoingBatch(calls.length, (members) => this.#dispatcher.requestBatch(members));
    return Promise.allSettled(calls.map((call) => this.#requestIn(batch, call)));
  }

  async #requestIn(batch: OutgoingBatch, { method, params = {}, options = {} }: BatchCall): Promise<JsonObject> {
    let isAdded = false;
    const add = async (given: JsonObject): Promise<JsonObject> => {
      // A middleware that calls on a second time asks again, after the batch has left.
      if (isAdded) return this.#send(method, given, options);
      const instead = this.#options.extensions.insteadOf(this, method, given, options);
      if (instead !== undefined) return instead;
      this.#checkOutgoing(method, given, options);
      isAdded = true;
      return this.#checkIncoming(method, await batch.add({ method, params: given, options }));
    };
    try {
      return await this.#runThrough(method, params, add);
    } finally {
      if (!isAdded) batch.leave();
    }
  }

  #send(method: string, params: JsonObject, options: FetchOptions): Promise<JsonObject> {
    const { cache, extensions } = this.#options;
    const instead = extensions.insteadOf(this, method, params, options);
    if (instead !== undefined) return instead;
    this.#checkOutgoing(method, params, options);
    // Legacy results carry no hints, and look different from modern ones that a shared store may hold.
    if (!cache || this.#codec.era === "legacy") return this.#exchange(method, params, options);
    const query = { revision: this.#verdict.revision, method, params };
    return cache.keeps(query) ? this.#sendCached(cache, query, options) : this.#exchange(method, params, options);
  }

  /** The headers are read once, so that a result is kept for the identity that its request was sent under. */
  async #sendCached(cache: ResultCache, query: CacheQuery, options: FetchOptions): Promise<JsonObject> {
    const { carriesHeaders } = this.#dispatcher;
    const connectionHeaders = carriesHeaders ? await this.#dispatcher.connectionHeaders?.() : {};
    const sentHeaders = connectionHeaders && [connectionHeaders, options.headers ?? {}];
    const sent = carriesHeaders && connectionHeaders ? { ...options, connectionHeaders } : options;
    return cache.request(query, { ...options, sentHeaders }, () => this.#exchange(query.method, query.params, sent));
  }

  async #exchange(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const encoded = this.#codec.encodeRequest(params, this.#stamp);
    const answer = await this.#dispatcher.request(method, encoded, options);
    this.#isAnswered = true;
    const owned = this.#options.extensions.resultTypeOf(method, answer, this.#verdict);
    if (!owned) return this.#checkIncoming(method, answer);
    await readResult(owned, method, answer);
    return answer;
  }

  async #runThrough(
    method: string,
    params: JsonObject,
    innermost: (params: JsonObject) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { revision } = this.#verdict;
    const call = { kind: "request", direction: "outbound", revision, method, params, context: undefined } as const;
    const result = await runThrough(this.#options.middleware, call, innermost);
    if (!isJsonObject(result)) throw new SdkError("invalid-result", `middleware answered ${method} with no object`);
    return result;
  }

  #checkOutgoing(method: string, params: JsonObject, { id }: RequestOptions): void {
    const { revision, server } = this.#verdict;
    if (id !== undefined && this.#codec.era === "legacy" && this.#dispatcher.hasIssued?.(id)) {
      const message = `Request id ${JSON.stringify(id)} was used before in this session: choose another, or none`;
      throw new SdkError("request-id-in-use", message);
    }
    const { extensions } = this.#options;
    const refusal = extensions.refusal(method, this.#verdict) ?? metaRefusal(method, params);
    if (refusal) throw refusal;
    const spec = findRequest(revision, "client", method);
    if (!spec) {
      if (!isSpecMethod(method) || extensions.ownerOf(method)) return;
      throw notInRevision(method, revision);
    }
    const needed = spec.capability;
    if (!this.#options.isStrict || needed === undefined || hasCapability(server.capabilities ?? {}, needed)) return;
    throw new ProtocolError(
      ErrorCode.methodNotFound,
      `Method not found: ${method} was not sent, since the server does not advertise ${needed}`,
    );
  }

  #checkIncoming(method: string, raw: JsonObject): JsonObject {
    const result = this.#codec.decodeResult(method, raw);
    const spec = findRequest(this.#verdict.revision, "client", method);
    const asks = result.resultType === "input_required";
    const fault = asks ? inputRequiredResultShape(result) : spec?.result(result);
    if (!this.#verdict.server.info && this.#codec.era === "modern") this.#learnServer(result._meta);
    if (!fault) return result;
    const sound = asks ? undefined : spec && this.#soundPart(spec, result);
    if (!sound) throw new SdkError("invalid-result", `${method}: ${explain(fault, "result")}`);
    return sound;
  }

  /** A result without its malformed items; undefined if it is malformed itself. */
  #soundPart({ method, items, result: shape }: RequestSpec, received: JsonObject): JsonObject | undefined {
    if (!items) return undefined;
    const { result, dropped, complaints } = salvage(received, items);
    if (!result || shape(result)) return undefined;
    const parts = dropped === 1 ? "one malformed part" : `${dropped} malformed parts`;
    this.#options.report(
      new SdkError("invalid-result", `${method}: the client left out ${parts} of the answer: ${complaints.join(". ")}`),
    );
    return result;
  }

  /** Without discovery a server is known only by what it stamps on its results. */
  #learnServer(meta: unknown): void {
    const info = isJsonObject(meta) ? serverInfoIn(meta) : undefined;
    if (info) this.#verdict = { ...this.#verdict, server: { ...this.#verdict.server, info } };
  }
}

function notInRevision(method: string, revision: Revision): SdkError {
  return new SdkError("method-not-in-revision", `${method} does not exist in protocol revision ${revision}`);
}
