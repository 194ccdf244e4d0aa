/** Failures of tools: the error that authors throw, and the results that callers read. The model reads them in the result. */
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../runtime/json.js";
import { toolErrorResult } from "./tool-result.js";

/**
 * A tool's failure that its caller should read: a result with `isError` and this message. Any other error is such a result
 * too, but says only that the tool failed. A `ProtocolError` is answered as an error.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

export interface ToolFailure {
  readonly result: JsonObject;
  /** What to report on this side; undefined for a failure that its author wrote for the caller. */
  readonly report: SdkError | undefined;
}

const OPAQUE = "The tool failed. Its server has recorded the reason.";

/**
 * @param params those of the call
 * @param exposesMessages whether the message of any error is for the caller, and not only that of a `ToolError`
 */
export function toolFailure(thrown: unknown, params: JsonObject | undefined, exposesMessages: boolean): ToolFailure {
  if (thrown instanceof ToolError) return { result: toolErrorResult(thrown.message), report: undefined };
  const isShown = exposesMessages && thrown instanceof Error && !mayBeReceived(thrown);
  const name = params?.name;
  const tool = typeof name === "string" ? `Tool ${JSON.stringify(name)}` : "A tool";
  const complaint = `${tool} failed: its caller got a result with isError`;
  return {
    result: toolErrorResult(isShown ? thrown.message : OPAQUE),
    report: new SdkError("handler-failed", complaint, { cause: thrown }),
  };
}

/** Written by another server, for this one: errors:received:opaque. The message of an `SdkError` may quote such a text. */
function mayBeReceived(error: Error): boolean {
  return error instanceof SdkError || (error instanceof ProtocolError && error.isReceived);
}
