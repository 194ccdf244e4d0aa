/** The modern era (2026-07-28): every request names its revision and its client in `_meta`, every result its `resultType`. */
import { invalidParams, unsupportedRevision } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import { clientCapabilitiesShape, implementationShape } from "../protocol/lifecycle.js";
import { loggingLevelShape } from "../protocol/logging.js";
import type { CacheHint } from "../protocol/message-base.js";
import { MetaKey } from "../protocol/meta-keys.js";
import { findRequest } from "../protocol/method-table.js";
import { isModernRevision, isRevision, LATEST_MODERN_REVISION, type Revision } from "../protocol/revisions.js";
import { explain, optional, type Shape, string } from "../protocol/shape.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { preserialize } from "../wire/preserialized-json.js";
import type { ClientCodec, ClientIdentity, Envelope, ServerCodec } from "./era-codec.js";
import { modernCode } from "./reserved-codes.js";

const COMPLETE = "complete";
const INPUT_REQUIRED = "input_required";

/** The keys of a request's `_meta` that describe its sender, in the order in which they are checked. */
const ENVELOPE: readonly (readonly [key: string, shape: Shape])[] = [
  [MetaKey.protocolVersion, string],
  [MetaKey.clientCapabilities, clientCapabilitiesShape],
  [MetaKey.clientInfo, optional(implementationShape)],
  [MetaKey.logLevel, optional(loggingLevelShape)],
];

/** Whether a request is modern: it names its revision in `_meta`. */
export function namesItsRevision(params: JsonObject | undefined): boolean {
  const meta = params?._meta;
  return isJsonObject(meta) && Object.hasOwn(meta, MetaKey.protocolVersion);
}

export const modernClientCodec: ClientCodec = {
  era: "modern",

  requestStamp(revision: Revision, client: ClientIdentity): JsonObject {
    return Object.freeze({
      [MetaKey.protocolVersion]: revision,
      [MetaKey.clientInfo]: client.info,
      [MetaKey.clientCapabilities]: client.capabilities,
    });
  },

  encodeRequest(params: JsonObject | undefined, stamp: JsonObject | undefined): JsonObject {
    const meta = params?._meta;
    const encoded = copyOf(params);
    encoded._meta = isJsonObject(meta) ? { ...meta, ...stamp } : stamp;
    return encoded;
  },

  decodeResult(method: string, result: JsonObject): JsonObject {
    const { resultType } = result;
    if (resultType === undefined || resultType === COMPLETE) return result;
    const mayRequireInput = findRequest(LATEST_MODERN_REVISION, "client", method)?.mayRequireInput === true;
    if (resultType === INPUT_REQUIRED && mayRequireInput) return result;
    throw new SdkError(
      "unknown-result-type",
      `${method} was answered with a result of type ${JSON.stringify(resultType)}; this client knows "${COMPLETE}"`,
    );
  },
};

export const modernServerCodec: ServerCodec = {
  era: "modern",

  resultStamp(server: Implementation): JsonObject {
    return preserialize(Object.freeze({ [MetaKey.serverInfo]: server }));
  },

  decodeRequest(params: JsonObject | undefined, supported: readonly Revision[]): Envelope {
    const meta = params?._meta;
    if (!isJsonObject(meta)) {
      throw invalidParams(
        `params._meta: expected an object with ${MetaKey.protocolVersion} and ${MetaKey.clientCapabilities}`,
      );
    }
    for (const [key, shape] of ENVELOPE) {
      const fault = shape(meta[key]);
      if (fault) throw invalidParams(explain(fault, `params._meta["${key}"]`));
    }
    // The loop above checked the shapes of these three.
    const requested = meta[MetaKey.protocolVersion] as string;
    const clientInfo = meta[MetaKey.clientInfo] as Implementation | undefined;
    const clientCapabilities = meta[MetaKey.clientCapabilities] as ClientCapabilities;
    const isSpoken = isRevision(requested) && supported.includes(requested);
    if (!isSpoken || !isModernRevision(requested)) {
      // The server speaks a legacy revision only after a handshake. If `supported` named it, the client would repeat this request.
      throw unsupportedRevision(requested, isSpoken ? supported.filter(isModernRevision) : supported);
    }
    return { revision: requested, era: "modern", clientInfo, clientCapabilities };
  },

  encodeResult(
    result: JsonObject,
    _revision: Revision,
    stamp: JsonObject | undefined,
    cache: CacheHint | undefined,
  ): JsonObject {
    const meta = result._meta;
    const encoded = copyOf(result);
    encoded.resultType ??= COMPLETE;
    encoded._meta = isJsonObject(meta) ? { ...meta, ...stamp } : stamp;
    // A result that requires input is not cacheable.
    if (cache && encoded.resultType === COMPLETE) {
      encoded.ttlMs ??= cache.ttlMs;
      encoded.cacheScope ??= cache.cacheScope;
    }
    return encoded;
  },

  encodeErrorCode: modernCode,
};

/**
 * A shallow copy. Measured: V8 allocates the result of a spread in the old generation, which retains its members for long.
 * `Object.assign` does not, but it would set the prototype of the copy from a member `__proto__`.
 */
function copyOf(object: JsonObject = {}): JsonObject {
  return Object.hasOwn(object, "__proto__") ? { ...object } : Object.assign({}, object);
}
