import { ErrorCode } from "../protocol/error-codes.js";
import { ProtocolError } from "./protocol-error.js";
import { SdkError } from "./sdk-error.js";

/** The `error` member of a JSON-RPC answer. */
export interface WireError {
  code: number;
  message: string;
  data?: unknown;
}

export interface MappedError {
  readonly wire: WireError;
  /** What to report on this side, when the peer is told nothing of the cause. */
  readonly report: SdkError | undefined;
}

/**
 * What a peer is told about anything a handler may throw. A protocol error keeps its code, message and data;
 * everything else, a protocol error without an integer code included, is an opaque -32603 whose cause is reported on
 * this side alone.
 */
export function mapError(thrown: unknown, method: string): MappedError {
  if (thrown instanceof ProtocolError && Number.isInteger(thrown.code)) {
    const wire: WireError = { code: thrown.code, message: thrown.message };
    if (thrown.data !== undefined) wire.data = thrown.data;
    return { wire, report: undefined };
  }
  return {
    wire: { code: ErrorCode.internalError, message: "Internal error" },
    report: new SdkError("handler-failed", `The handler of ${method} failed; the peer was answered -32603`, {
      cause: thrown,
    }),
  };
}

/** The error a caller sees for an answer's `error` member. */
export function fromWireError(wire: WireError): ProtocolError {
  return new ProtocolError(wire.code, wire.message, { data: wire.data });
}
