/** One connection after negotiation: checks and encodes requests and notifications, and checks results. */
import type { BatchCall, Dispatcher } from "../dispatch/dispatcher.js";
import type { ClientCodec, ClientIdentity } from "../era/era-codec.js";
import { legacyClientCodec } from "../era/legacy-codec.js";
import { modernClientCodec } from "../era/modern-codec.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { inputRequiredResultShape } from "../protocol/input-required.js";
import { cacheHintShape } from "../protocol/message-base.js";
import {
  findNotification,
  findRequest,
  hasCapability,
  isSpecMethod,
  type RequestSpec,
} from "../protocol/method-table.js";
import { eraOf, type Revision } from "../protocol/revisions.js";
import { salvage } from "../protocol/salvage.js";
import { explain, type Shape } from "../protocol/shape.js";
import { createTaskResultShape } from "../protocol/tasks.js";
import { metaRefusal } from "../routing/defined-message.js";
import { type Middleware, runThrough } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import type { ClientCall } from "./client-call.js";
import { type ClientExtensions, readResult, withExtensionAdvice } from "./extensions.js";
import { type NegotiationResult, serverInfoIn } from "./negotiation.js";

export interface NegotiatedConnectionOptions {
  readonly identity: ClientIdentity;
  readonly isStrict: boolean;
  readonly middleware: readonly Middleware<RequestContext>[];
  readonly extensions: ClientExtensions;
  /** Called with an error that names the malformed parts which were removed from a result. */
  readonly report: (error: Error) => void;
}

export class NegotiatedConnection {
  /** Whether the server has agreed to the revision. False if the client assumes it from an earlier connection. */
  isConfirmed = true;
  readonly #dispatcher: Dispatcher;
  readonly #options: NegotiatedConnectionOptions;
  readonly #codec: ClientCodec;
  readonly #stamp: JsonObject | undefined;
  #negotiated: NegotiationResult;

  constructor(dispatcher: Dispatcher, negotiated: NegotiationResult, options: NegotiatedConnectionOptions) {
    this.#dispatcher = dispatcher;
    this.#negotiated = negotiated;
    this.#options = options;
    this.#codec = eraOf(negotiated.revision) === "modern" ? modernClientCodec : legacyClientCodec;
    this.#stamp = this.#codec.requestStamp(negotiated.revision, options.identity);
  }

  get negotiated(): NegotiationResult {
    return this.#negotiated;
  }

  /** Whether arguments of tools are repeated in headers: over HTTP in the modern era. */
  get mirrorsArguments(): boolean {
    return this.#codec.era === "modern" && this.#dispatcher.carriesHeaders;
  }

  /** Whether requests travel with HTTP headers. */
  get carriesHeaders(): boolean {
    return this.#dispatcher.carriesHeaders;
  }

  /** The headers that the connection adds to a request now. Undefined if the transport does not report them. */
  async connectionHeaders(): Promise<Readonly<Record<string, string>> | undefined> {
    return this.carriesHeaders ? this.#dispatcher.connectionHeaders?.() : {};
  }

  /** @throws {SdkError} `method-not-in-revision`, or `capability-not-supported` for a capability that this client lacks. */
  async notify(method: string, params: JsonObject): Promise<void> {
    const { revision } = this.#negotiated;
    const spec = findNotification(revision, "client", method);
    if (isSpecMethod(method) && !spec) throw notInRevision(method, revision);
    const needed = spec?.capability;
    if (needed !== undefined && !hasCapability(this.#options.identity.capabilities, needed)) {
      const complaint = `${method} was not sent: this client did not declare ${needed} in its capabilities`;
      throw new SdkError("capability-not-supported", complaint);
    }
    // The client sends no notifications of an extension that the server did not declare.
    if (this.#options.extensions.lackingAt(method, this.#negotiated)) return;
    const badMeta = metaRefusal(method, params);
    if (badMeta) throw badMeta;
    const call = { kind: "notification", direction: "outbound", revision, method, params, context: undefined } as const;
    await runThrough(this.#options.middleware, call, (given) => this.#dispatcher.notify(method, given));
  }

  /** Sends a request and checks its answer. */
  async exchange({ method, params, options }: ClientCall): Promise<JsonObject> {
    const encoded = this.#codec.encodeRequest(params, this.#stamp);
    const name = this.mirrorsArguments ? this.#options.extensions.nameHeader(method, params) : undefined;
    const sent = name ? { ...options, headers: { ...options.headers, ...name } } : options;
    let answer: JsonObject;
    try {
      answer = await this.#dispatcher.request(method, encoded, sent);
    } catch (error) {
      throw withExtensionAdvice(error);
    }
    this.isConfirmed = true;
    const owned = this.#options.extensions.resultTypeOf(method, answer, this.#negotiated);
    if (!owned) return this.#isTask(params, answer) ? checkedTask(method, answer) : this.checkResult(method, answer);
    await readResult(owned, method, answer);
    return answer;
  }

  /** Whether the server runs a request with the param `task` as a task. Only 2025-11-25 has this param. */
  #isTask(params: JsonObject, answer: JsonObject): boolean {
    return params.task !== undefined && answer.task !== undefined && this.#negotiated.revision === "2025-11-25";
  }

  /** Sends checked requests as one message. Each settles on its own. */
  exchangeBatch(calls: readonly BatchCall[]): Promise<PromiseSettledResult<JsonObject>[]> {
    return this.#dispatcher.requestBatch(calls);
  }

  /** The error for a request that must not be sent; undefined if it may. */
  requestRefusal({ method, params, options: { id } }: ClientCall): SdkError | ProtocolError | undefined {
    const { revision, server } = this.#negotiated;
    if (id !== undefined && this.#codec.era === "legacy" && this.#dispatcher.hasIssued?.(id)) {
      const message = `Request id ${JSON.stringify(id)} was used before in this session: choose another, or none`;
      return new SdkError("request-id-in-use", message);
    }
    const { extensions } = this.#options;
    const refusal = extensions.refusal(method, this.#negotiated) ?? metaRefusal(method, params);
    if (refusal) return refusal;
    const spec = findRequest(revision, "client", method);
    if (!spec) {
      return !isSpecMethod(method) || extensions.ownerOf(method) ? undefined : notInRevision(method, revision);
    }
    const needed = spec.capability;
    if (!this.#options.isStrict || needed === undefined) return undefined;
    if (hasCapability(server.capabilities ?? {}, needed)) return undefined;
    return new ProtocolError(
      ErrorCode.methodNotFound,
      `Method not found: ${method} was not sent, since the server does not advertise ${needed}`,
    );
  }

  /** @throws {SdkError} `invalid-result` for a result that breaks the shape of its method. */
  checkResult(method: string, raw: JsonObject): JsonObject {
    const result = this.#codec.decodeResult(method, raw);
    const spec = findRequest(this.#negotiated.revision, "client", method);
    const asks = result.resultType === "input_required";
    const shape = asks ? inputRequiredResultShape : (spec?.result ?? this.#definedShape(method));
    const fault = shape?.(result);
    if (!this.#negotiated.server.info && this.#codec.era === "modern") this.#learnServer(result._meta);
    if (!fault) return result;
    const sound = asks || !spec ? undefined : this.#validPart(spec, result);
    if (!sound) throw new SdkError("invalid-result", `${method}: ${explain(fault, "result")}`);
    return sound;
  }

  /** The client's cache relies on the hint, which the schema of the method's author does not see. */
  #definedShape(method: string): Shape | undefined {
    return this.#options.extensions.definitionOf(method)?.isCacheable ? cacheHintShape : undefined;
  }

  /** Removes malformed items from a result, and reports them. Undefined if the rest of the result is malformed too. */
  #validPart({ method, items, result: shape }: RequestSpec, received: JsonObject): JsonObject | undefined {
    if (!items) return undefined;
    const { result, dropped, complaints } = salvage(received, items);
    if (!result || shape(result)) return undefined;
    const parts = dropped === 1 ? "one malformed part" : `${dropped} malformed parts`;
    this.#options.report(
      new SdkError("invalid-result", `${method}: the client left out ${parts} of the answer: ${complaints.join(". ")}`),
    );
    return result;
  }

  /** Reads the server's name from a result. With a pinned revision there is no discovery that would have named it. */
  #learnServer(meta: unknown): void {
    const info = isJsonObject(meta) ? serverInfoIn(meta) : undefined;
    if (info) this.#negotiated = { ...this.#negotiated, server: { ...this.#negotiated.server, info } };
  }
}

/** @throws {SdkError} `invalid-result` for an answer that is no task. */
function checkedTask(method: string, answer: JsonObject): JsonObject {
  const fault = createTaskResultShape(answer);
  if (fault) throw new SdkError("invalid-result", `${method}: ${explain(fault, "result")}`);
  return answer;
}

function notInRevision(method: string, revision: Revision): SdkError {
  return new SdkError("method-not-in-revision", `${method} does not exist in protocol revision ${revision}`);
}
