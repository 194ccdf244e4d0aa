/** The HTTP status of a modern answer. Errors that handlers mean for their caller travel with 200, as results do. */
import { ErrorCode } from "../../protocol/error-codes.js";
import type { Revision } from "../../protocol/revisions.js";
import type { JsonRpcAnswer, JsonRpcRequest } from "../../wire/json-rpc.js";
import { findEnvelopeFault } from "./request-headers.js";

const statuses: ReadonlyMap<number, number> = new Map([
  [ErrorCode.parseError, 400],
  [ErrorCode.invalidRequest, 400],
  [ErrorCode.methodNotFound, 404],
  [ErrorCode.headerMismatch, 400],
  [ErrorCode.missingClientCapability, 400],
  [ErrorCode.unsupportedRevision, 400],
]);

export function statusOf(answer: JsonRpcAnswer, { params }: JsonRpcRequest, revisions: readonly Revision[]): number {
  if (!("error" in answer)) return 200;
  const { code } = answer.error;
  // -32602 is what a malformed envelope and a malformed argument have in common; the specification fixes the first alone.
  if (code === ErrorCode.invalidParams) return findEnvelopeFault(params, revisions) ? 400 : 200;
  return statuses.get(code) ?? 200;
}
