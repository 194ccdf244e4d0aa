/** Requests and notifications of an open connection: checked before they go out, and their answers before they are handed on. */
import type { BatchCall, Dispatcher, RequestOptions } from "../dispatch/dispatcher.js";
import type { ClientIdentity, EraCodec } from "../era/era-codec.js";
import { legacyCodec } from "../era/legacy-codec.js";
import { modernCodec } from "../era/modern-codec.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { findRequest, hasCapability, isSpecMethod } from "../protocol/method-table.js";
import { eraOf } from "../protocol/revisions.js";
import { explain } from "../protocol/shape.js";
import { type Middleware, runThrough } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import { serverInfoIn, type Verdict } from "./negotiation.js";

export interface OpenConnectionOptions {
  readonly identity: ClientIdentity;
  readonly isStrict: boolean;
  readonly middleware: readonly Middleware<RequestContext>[];
}

export class OpenConnection {
  readonly #dispatcher: Dispatcher;
  readonly #options: OpenConnectionOptions;
  readonly #codec: EraCodec;
  readonly #stamp: JsonObject | undefined;
  #verdict: Verdict;

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

  async request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    const { middleware } = this.#options;
    if (middleware.length === 0) return this.#send(method, params, options);
    const call = { kind: "request", direction: "outbound", method, params, context: undefined } as const;
    const result = await runThrough(middleware, call, (given) => this.#send(method, given, options));
    if (!isJsonObject(result)) throw new SdkError("invalid-result", `middleware answered ${method} with no object`);
    return result;
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    const call = { kind: "notification", direction: "outbound", method, params, context: undefined } as const;
    await runThrough(this.#options.middleware, call, (given) => this.#dispatcher.notify(method, given));
  }

  /** Several requests as one message; each is checked and settles on its own. */
  async requestBatch(calls: readonly BatchCall[]): Promise<PromiseSettledResult<JsonObject>[]> {
    for (const { method } of calls) this.#checkOutgoing(method);
    const settled = await this.#dispatcher.requestBatch(calls);
    return Promise.allSettled(
      settled.map((outcome, index) => {
        if (outcome.status === "rejected") throw outcome.reason;
        // Outcomes come in the order of the calls.
        return this.#checkIncoming((calls[index] as BatchCall).method, outcome.value);
      }),
    );
  }

  async #send(method: string, params: JsonObject, options: RequestOptions | undefined): Promise<JsonObject> {
    this.#checkOutgoing(method);
    const encoded = this.#codec.encodeRequest(params, this.#stamp);
    return this.#checkIncoming(method, await this.#dispatcher.request(method, encoded, options));
  }

  #checkOutgoing(method: string): void {
    const { revision, server } = this.#verdict;
    const spec = findRequest(revision, "client", method);
    if (!spec) {
      if (!isSpecMethod(method)) return;
      throw new SdkError("method-not-in-revision", `${method} does not exist in protocol revision ${revision}`);
    }
    const needed = spec.capability;
    if (!this.#options.isStrict || needed === undefined || hasCapability(server.capabilities ?? {}, needed)) return;
    throw new SdkError("capability-not-supported", `${method} was not sent: the server does not advertise ${needed}`, {
      wireCode: ErrorCode.methodNotFound,
    });
  }

  #checkIncoming(method: string, raw: JsonObject): JsonObject {
    const result = this.#codec.decodeResult(method, raw);
    const fault = findRequest(this.#verdict.revision, "client", method)?.result(result);
    if (fault) throw new SdkError("invalid-result", `${method}: ${explain(fault, "result")}`);
    if (!this.#verdict.server.info && this.#codec.era === "modern") this.#learnServer(result._meta);
    return result;
  }

  /** Without discovery a server is known only by what it stamps on its results. */
  #learnServer(meta: unknown): void {
    const info = isJsonObject(meta) ? serverInfoIn(meta) : undefined;
    if (info) this.#verdict = { ...this.#verdict, server: { ...this.#verdict.server, info } };
  }
}
