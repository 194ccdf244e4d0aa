/** The modern era (2026-07-28): every request carries its revision and its sender, every result its kind. */
import { invalidParams, unsupportedRevision } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { CacheHint } from "../protocol/caching.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import { MetaKey } from "../protocol/meta-keys.js";
import { findRequest } from "../protocol/method-table.js";
import { isModernRevision, isRevision, LATEST_MODERN_REVISION, type Revision } from "../protocol/revisions.js";
import { explain, optional, type Shape, string } from "../protocol/shape.js";
import { clientCapabilitiesShape, implementationShape } from "../protocol/shapes/lifecycle.js";
import { loggingLevelShape } from "../protocol/shapes/logging.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import type { ClientIdentity, Envelope, EraCodec } from "./era-codec.js";
import { modernCode } from "./reserved-codes.js";

const COMPLETE = "complete";
const INPUT_REQUIRED = "input_required";

/** What a request's `_meta` says about its sender, in the order it is looked at. */
const ENVELOPE: readonly (readonly [key: string, shape: Shape])[] = [
  [MetaKey.protocolVersion, string],
  [MetaKey.clientCapabilities, clientCapabilitiesShape],
  [MetaKey.clientInfo, optional(implementationShape)],
  [MetaKey.logLevel, optional(loggingLevelShape)],
];

/** Whether a request speaks modern: the revision it names in `_meta` is what selects the era. */
export function namesItsRevision(params: JsonObject | undefined): boolean {
  const meta = params?._meta;
  return isJsonObject(meta) && Object.hasOwn(meta, MetaKey.protocolVersion);
}

export const modernCodec: EraCodec = {
  era: "modern",

  requestStamp(revision: Revision, client: ClientIdentity): JsonObject {
    return Object.freeze({
      [MetaKey.protocolVersion]: revision,
      [MetaKey.clientInfo]: client.info,
      [MetaKey.clientCapabilities]: client.capabilities,
    });
  },

  resultStamp(server: Implementation): JsonObject {
    return Object.freeze({ [MetaKey.serverInfo]: server });
  },

  encodeRequest(params: JsonObject | undefined, stamp: JsonObject | undefined): JsonObject {
    const meta = params?._meta;
    const encoded = copyOf(params);
    encoded._meta = isJsonObject(meta) ? { ...meta, ...stamp } : stamp;
    return encoded;
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
    // These three were checked against their shapes just above.
    const requested = meta[MetaKey.protocolVersion] as string;
    const clientInfo = meta[MetaKey.clientInfo] as Implementation | undefined;
    const clientCapabilities = meta[MetaKey.clientCapabilities] as ClientCapabilities;
    const isSpoken = isRevision(requested) && supported.includes(requested);
    if (!isSpoken || !isModernRevision(requested)) {
      // A legacy revision is spoken here after a handshake only; naming it as supported would invite the same request again.
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
    // What still needs input is not finished, and what is not finished is not kept.
    if (cache && encoded.resultType === COMPLETE) {
      encoded.ttlMs ??= cache.ttlMs;
      encoded.cacheScope ??= cache.cacheScope;
    }
    return encoded;
  },

  encodeErrorCode: modernCode,

  decodeResult(method: string, result: JsonObject): JsonObject {
    const kind = result.resultType;
    if (kind === undefined || kind === COMPLETE) return result;
    const mayRequireInput = findRequest(LATEST_MODERN_REVISION, "client", method)?.mayRequireInput === true;
    if (kind === INPUT_REQUIRED && mayRequireInput) return result;
    throw new SdkError(
      "unknown-result-type",
      `${method} was answered with a result of type ${JSON.stringify(kind)}; this client knows "${COMPLETE}"`,
    );
  },
};

/**
 * Measured: the engine puts what a spread makes among its old objects, and what that refers to stays with it for long.
 * Assigning does better, but must not be given a member that it would take for the copy's prototype.
 */
function copyOf(object: JsonObject = {}): JsonObject {
  return Object.hasOwn(object, "__proto__") ? { ...object } : Object.assign({}, object);
}
