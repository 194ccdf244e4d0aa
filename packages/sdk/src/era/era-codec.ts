/**
 * The interfaces of codecs: how each side writes and reads the parts of a message that are not the method's own params and
 * result. A codec keeps no state and does no I/O. The implementations are in modern-codec.ts and legacy-codec.ts. The sides are
 * apart, so that the bundle of one side has no code of the other.
 */

import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import type { CacheHint } from "../protocol/message-base.js";
import type { Era, Revision } from "../protocol/revisions.js";
import type { JsonObject } from "../runtime/json.js";

/** The sender of a request, and the revision by which the server serves it. */
export interface Envelope {
  readonly revision: Revision;
  readonly era: Era;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
}

/** The name and the capabilities that a client sends. */
export interface ClientIdentity {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** The capabilities for legacy servers, if they differ. */
  readonly legacyCapabilities?: ClientCapabilities | undefined;
}

export interface ClientCodec {
  readonly era: Era;
  /** The `_meta` members of every request of one client. Made once and passed to `encodeRequest`. */
  requestStamp(revision: Revision, client: ClientIdentity): JsonObject | undefined;
  /** Encodes the params of a request. Keeps the caller's `_meta` keys, except those of the protocol. */
  encodeRequest(params: JsonObject | undefined, stamp: JsonObject | undefined): JsonObject | undefined;
  /** Decodes a result. @throws {SdkError} `unknown-result-type` for a `resultType` that the client does not know. */
  decodeResult(method: string, result: JsonObject): JsonObject;
}

export interface ServerCodec {
  readonly era: Era;
  /** The `_meta` members of every result of one server, which is frozen. Made once and passed to `encodeResult`. */
  resultStamp(server: Implementation): JsonObject | undefined;
  /** Reads the sender and the revision of a request. @throws {ProtocolError} for missing or malformed fields of the era. */
  decodeRequest(
    params: JsonObject | undefined,
    supported: readonly Revision[],
    session: Envelope | undefined,
  ): Envelope;
  /** Encodes a result. `cache` is undefined for methods that are not cacheable. */
  encodeResult(
    result: JsonObject,
    revision: Revision,
    stamp: JsonObject | undefined,
    cache: CacheHint | undefined,
  ): JsonObject;
  /** Encodes the code of an error that a handler threw. Replaces codes that the specification reserves. */
  encodeErrorCode(code: number, data: unknown, revision: Revision): number;
}
