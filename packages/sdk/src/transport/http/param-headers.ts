/** The arguments of a tool call that its definition wants repeated in headers. */
import { type ToolHeader, valueAt } from "../../protocol/tool-header-annotations.js";
import { encodeHeaderValue } from "../../wire/header-value.js";
import type { HeaderFields } from "./http-endpoint.js";

/** Arguments that are absent or null have no header, nor do values that the annotation does not allow. */
export function paramHeaders(toolHeaders: readonly ToolHeader[], args: unknown): HeaderFields {
  const headers: Record<string, string> = {};
  for (const { header, path } of toolHeaders) {
    const value = valueAt(args, path);
    if (typeof value === "string") headers[header] = encodeHeaderValue(value);
    else if (typeof value === "boolean" || Number.isSafeInteger(value)) headers[header] = String(value);
  }
  return headers;
}
