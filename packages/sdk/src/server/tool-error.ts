/**
 * A tool's failure that its caller should read: a result with `isError` and this message. Any other error is such a result
 * too, but says only that the tool failed. A `ProtocolError` is answered as an error.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
}
