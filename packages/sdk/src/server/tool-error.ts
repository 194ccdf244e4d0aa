/** Tool failures: `ToolError`, and the results with `isError` that callers get for exceptions of a tool. */
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../runtime/json.js";
import { toolErrorResult } from "./tool-result.js";

/**
 * A tool failure with a message for the caller. The server answers with a result that has `isError` and this message. For any
 * other error the result says only that the tool failed. A `ProtocolError` is answered as an error.
 *
 * @example
 * server.tool("open", () => {
 *   throw new ToolError("The door is locked: call unlock first");
 * });
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

export interface ToolFailure {
  readonly result: JsonObject;
  /** The error to report to `onError`; undefined for a `ToolError`. */
  readonly report: SdkError | undefined;
}

const OPAQUE = "The tool failed. Its server has recorded the reason.";

/**
 * The result and the report for an exception of a tool.
 * @param params the params of the call
 * @param exposesMessages whether callers see the message of every error, not only of a `ToolError`
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

/** Whether another server may have written the message (errors:received:opaque). An `SdkError` may quote such a message. */
function mayBeReceived(error: Error): boolean {
  return error instanceof SdkError || (error instanceof ProtocolError && error.isReceived);
}
