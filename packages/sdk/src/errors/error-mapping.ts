import { ErrorCode } from "../protocol/error-codes.js";
import { ProtocolError, receivedError } from "./protocol-error.js";
import { SdkError } from "./sdk-error.js";

/** The `error` member of a JSON-RPC answer. */
export interface WireError {
  code: number;
  message: string;
  data?: unknown;
}

export interface MappedError {
  readonly wire: WireError;
  /** The error to report on this side if the peer gets an opaque one. */
  readonly report: SdkError | undefined;
}

/** Whether a thrown value is an error that its author wrote for the peer. */
export function isDeliberate(thrown: unknown): thrown is ProtocolError {
  return thrown instanceof ProtocolError && !thrown.isReceived && Number.isInteger(thrown.code);
}

/**
 * Maps a thrown value to the error that the peer is answered with. A protocol error keeps its code, message and data. Any
 * other value, a protocol error without an integer code and an error received from another peer become an opaque -32603,
 * and the cause is reported on this side.
 */
export function mapError(thrown: unknown, method: string): MappedError {
  if (isDeliberate(thrown)) {
    const wire: WireError = { code: thrown.code, message: thrown.message };
    if (thrown.data !== undefined) wire.data = thrown.data;
    return { wire, report: undefined };
  }
  const isReceived = thrown instanceof ProtocolError && thrown.isReceived;
  const how = isReceived ? "failed with an error that it received from another peer" : "failed";
  return {
    wire: { code: ErrorCode.internalError, message: "Internal error" },
    report: new SdkError("handler-failed", `The handler of ${method} ${how}; the peer was answered -32603`, {
      cause: thrown,
    }),
  };
}

/** The error a caller sees for an answer's `error` member. */
export function fromWireError({ code, message, data }: WireError): ProtocolError {
  return receivedError(code, message, data);
}
