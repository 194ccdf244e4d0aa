/** Checks whether a client answers a question: it must have declared the capability, and its connection must carry questions. */
import type { Envelope } from "../era/era-codec.js";
import { invalidParams, missingClientCapability, ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { capabilitiesIn, missingCapabilities } from "../protocol/answer-rules.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { hasCapability } from "../protocol/method-table.js";

/** A capability of clients to answer a question, or a part of that capability. */
export type ClientFeature =
  | "elicitation"
  | "elicitation.form"
  | "elicitation.url"
  | "sampling"
  | "sampling.context"
  | "sampling.tools"
  | "roots";

/** A record, so that the compiler reports a feature that is missing here. */
const FEATURES: Readonly<Record<ClientFeature, true>> = {
  elicitation: true,
  "elicitation.form": true,
  "elicitation.url": true,
  sampling: true,
  "sampling.context": true,
  "sampling.tools": true,
  roots: true,
};

/** Messages that a connection cannot carry, as its host says. */
export interface ConnectionRestrictions {
  /** The reason why a legacy client cannot be asked, and the remedy. Undefined if it can. */
  readonly noQuestions?: string | undefined;
  /** Whether the server has no record of the client's capabilities, as in stateless HTTP. */
  readonly forgetsClient?: boolean | undefined;
  /** Whether the connection carries no messages outside of requests, so that changes cannot be announced. */
  readonly noChanges?: boolean | undefined;
}

/** The parts of an envelope that decide which questions a client answers. */
export type Asked = Pick<Envelope, "era" | "revision" | "clientCapabilities">;

/** Whether the client answers a question. @throws {SdkError} `invalid-argument` for an unknown feature. */
export function clientCan(feature: ClientFeature, client: Asked, { noQuestions }: ConnectionRestrictions): boolean {
  if (!Object.hasOwn(FEATURES, feature)) {
    const known = Object.keys(FEATURES).join(", ");
    throw new SdkError("invalid-argument", `canAsk: expected one of ${known}, got "${feature}"`);
  }
  if (client.era === "legacy" && noQuestions !== undefined) return false;
  return hasCapability(capabilitiesIn(client.revision, client.clientCapabilities), feature);
}

/**
 * Requires capabilities of the client.
 * @throws {ProtocolError} for a missing capability: -32021 in the modern era, -32602 in the legacy one, and -32603 for a
 * legacy connection that has no record of the client's capabilities.
 */
export function requireOfClient(
  required: ClientCapabilities,
  { era, revision, clientCapabilities }: Asked,
  restrictions: ConnectionRestrictions,
): void {
  const missing = missingCapabilities(required, capabilitiesIn(revision, clientCapabilities));
  if (!missing) return;
  const error = missingClientCapability({ ...missing });
  if (era === "modern") throw error;
  if (restrictions.forgetsClient) requireQuestions(era, restrictions);
  throw invalidParams(error.message, error.data);
}

/** Requires a connection that carries questions. @throws {ProtocolError} -32603 */
export function requireQuestions(era: Asked["era"], { noQuestions }: ConnectionRestrictions): void {
  if (era === "modern" || noQuestions === undefined) return;
  throw new ProtocolError(ErrorCode.internalError, `The server cannot ask its client: ${noQuestions}`);
}
