/** The questions that a client answers: those that it declared and that its connection carries. */
import type { Envelope } from "../era/era-codec.js";
import { invalidParams, missingClientCapability, ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { capabilitiesIn, missingCapabilities } from "../protocol/answer-rules.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { hasCapability } from "../protocol/method-table.js";

/** A question that clients may declare to answer, or a part of it. */
export type ClientFeature =
  | "elicitation"
  | "elicitation.form"
  | "elicitation.url"
  | "sampling"
  | "sampling.context"
  | "sampling.tools"
  | "roots";

/** A record, so that the compiler misses a feature that is not here. */
const FEATURES: Readonly<Record<ClientFeature, true>> = {
  elicitation: true,
  "elicitation.form": true,
  "elicitation.url": true,
  sampling: true,
  "sampling.context": true,
  "sampling.tools": true,
  roots: true,
};

/** What the connection of a host cannot carry. */
export interface ConnectionRestrictions {
  /** Why no question of a legacy request reaches its client, and what would help. */
  readonly noQuestions?: string | undefined;
  /** Whether the server does not know what its client declared. */
  readonly forgetsClient?: boolean | undefined;
  /** Whether nothing reaches the client outside of its requests, so that no change can be told. */
  readonly noChanges?: boolean | undefined;
}

/** Whose capabilities are looked at. */
export type Asked = Pick<Envelope, "era" | "revision" | "clientCapabilities">;

/** @throws {SdkError} `invalid-argument` for a name that is none of a feature: it would be missing in every client. */
export function clientCan(feature: ClientFeature, client: Asked, { noQuestions }: ConnectionRestrictions): boolean {
  if (!Object.hasOwn(FEATURES, feature)) {
    const known = Object.keys(FEATURES).join(", ");
    throw new SdkError("invalid-argument", `canAsk: expected one of ${known}, got "${feature}"`);
  }
  if (client.era === "legacy" && noQuestions !== undefined) return false;
  return hasCapability(capabilitiesIn(client.revision, client.clientCapabilities), feature);
}

/**
 * @throws {ProtocolError} for a client that lacks one of them: -32021 in the modern era, -32602 in the legacy one, and
 * -32603 where the server cannot know.
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

/** @throws {ProtocolError} -32603 where the connection carries no questions to its client. */
export function requireQuestions(era: Asked["era"], { noQuestions }: ConnectionRestrictions): void {
  if (era === "modern" || noQuestions === undefined) return;
  throw new ProtocolError(ErrorCode.internalError, `The server cannot ask its client: ${noQuestions}`);
}
