/**
 * How an era writes and reads what surrounds a method's own params and result. Pure functions: a codec keeps no state
 * and does no I/O. The two implementations are modern-codec.ts and legacy-codec.ts.
 */
import type { CacheHint } from "../protocol/caching.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import type { Era, Revision } from "../protocol/revisions.js";
import type { JsonObject } from "../runtime/json.js";

/** What a server knows about a request's sender and the rules it is served by. */
export interface Envelope {
  readonly revision: Revision;
  readonly era: Era;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
}

/** What a client says about itself. */
export interface ClientIdentity {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** What a legacy server is told instead, where that is less. */
  readonly legacyCapabilities?: ClientCapabilities | undefined;
}

export interface EraCodec {
  readonly era: Era;
  /** What every request of one client carries in `_meta`; made once and handed to `encodeRequest`. */
  requestStamp(revision: Revision, client: ClientIdentity): JsonObject | undefined;
  /** What every result of one server carries in `_meta`; made once and handed to `encodeResult`. */
  resultStamp(server: Implementation): JsonObject | undefined;
  /** Client: params as they go out. The caller's own `_meta` keys survive; the protocol's keys win. */
  encodeRequest(params: JsonObject | undefined, stamp: JsonObject | undefined): JsonObject | undefined;
  /** Server: who sent these params, and by which revision. @throws {ProtocolError} when the era's own fields are amiss. */
  decodeRequest(
    params: JsonObject | undefined,
    supported: readonly Revision[],
    session: Envelope | undefined,
  ): Envelope;
  /** Server: a result as it goes out; `cache` is given for cacheable methods. */
  encodeResult(
    result: JsonObject,
    revision: Revision,
    stamp: JsonObject | undefined,
    cache: CacheHint | undefined,
  ): JsonObject;
  /** Server: the code of an error that a handler threw, as it goes out. Some codes are the specification's alone. */
  encodeErrorCode(code: number, data: unknown, revision: Revision): number;
  /** Client: a result as it came in. @throws {SdkError} for a kind of result that this side does not know. */
  decodeResult(method: string, result: JsonObject): JsonObject;
}
