/** Derives the error code and the error type of a call, by the semantic conventions for MCP. */
import { isDeliberate, mapError, type WireError } from "../errors/error-mapping.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { MiddlewareCall } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import { isJsonObject } from "../runtime/json.js";
import { OTHER } from "./call-description.js";

export interface Outcome {
  /** The code of the JSON-RPC error that crossed the wire. */
  readonly code?: number;
  /** Undefined if nothing failed on this side. */
  readonly errorType?: string;
  readonly message?: string;
}

/** Codes of invalid requests. The server's span is not marked as failed for these. */
const CALLER_FAULTS: ReadonlySet<number> = new Set([
  ErrorCode.parseError,
  ErrorCode.invalidRequest,
  ErrorCode.methodNotFound,
  ErrorCode.invalidParams,
  ErrorCode.resourceNotFound,
]);

/** Characters of a cancellation's reason on a span. The peer chooses the reason. */
const MAX_REASON_LENGTH = 256;

const TOOL_ERROR: Outcome = { errorType: "tool_error" };

export function isCallerFault({ code }: Outcome): boolean {
  return code !== undefined && CALLER_FAULTS.has(code);
}

export function outcomeOfResult({ method }: MiddlewareCall<RequestContext>, result: unknown): Outcome {
  const failed = method === "tools/call" && isJsonObject(result) && result.isError === true;
  return failed ? TOOL_ERROR : {};
}

export function outcomeOfError(call: MiddlewareCall<RequestContext>, error: unknown): Outcome {
  // Only a request that is being served has a context.
  if (call.context) return outcomeOfServing(call.context, error);
  if (error instanceof ProtocolError && call.kind === "request") return outcomeOfCode(error);
  if (error instanceof SdkError) return { message: error.message, errorType: error.code };
  return { errorType: error instanceof Error ? error.name : OTHER };
}

function outcomeOfServing({ signal, method }: RequestContext, error: unknown): Outcome {
  if (signal.aborted) return { errorType: "cancelled", ...reasonOf(signal) };
  // tools:call:handler-throws
  if (method === "tools/call" && !isDeliberate(error)) return TOOL_ERROR;
  const { wire } = mapError(error, method);
  return CALLER_FAULTS.has(wire.code) ? { code: wire.code } : outcomeOfCode(wire);
}

/** The reason that the peer gave for a cancellation. */
function reasonOf({ reason }: AbortSignal): Pick<Outcome, "message"> {
  return reason instanceof SdkError ? { message: reason.message.slice(0, MAX_REASON_LENGTH) } : {};
}

function outcomeOfCode({ code, message }: WireError): Outcome {
  return { code, message, errorType: String(code) };
}
