/** The legacy era (2024-11-05 to 2025-11-25): the handshake names the client and the revision once, so requests carry neither. */
import { invalidParams } from "../errors/protocol-error.js";
import { isModernRevision, type Revision } from "../protocol/revisions.js";
import type { JsonObject } from "../runtime/json.js";
import { downgradeContent } from "./content-downgrade.js";
import type { ClientCodec, Envelope, ServerCodec } from "./era-codec.js";
import { legacyCode } from "./reserved-codes.js";

export const legacyClientCodec: ClientCodec = {
  era: "legacy",

  requestStamp(): undefined {
    return undefined;
  },

  encodeRequest(params: JsonObject | undefined): JsonObject | undefined {
    return params;
  },

  decodeResult(_method: string, result: JsonObject): JsonObject {
    return result;
  },
};

export const legacyServerCodec: ServerCodec = {
  era: "legacy",

  resultStamp(): undefined {
    return undefined;
  },

  decodeRequest(
    _params: JsonObject | undefined,
    supported: readonly Revision[],
    session: Envelope | undefined,
  ): Envelope {
    if (session) return session;
    const otherWay = supported.some(isModernRevision) ? ", or name the revision of each request in params._meta" : "";
    throw invalidParams(`This connection is not open yet: send initialize first${otherWay}`);
  },

  encodeResult(result: JsonObject, revision: Revision): JsonObject {
    return downgradeContent(result, revision);
  },

  encodeErrorCode: legacyCode,
};
