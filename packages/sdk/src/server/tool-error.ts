/**
 * A tool's failure that its caller should read, sent as a result with `isError`. Anything else a handler throws is
 * answered as an opaque internal error.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
}
