/** Parses JSON text within limits, and serializes values. */
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { excessOfText, type JsonLimits } from "./json-limits.js";

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  /** The error to answer with: -32700 for text that is not JSON, -32600 over a limit. */
  | { readonly ok: false; readonly error: ProtocolError };

export function parseJson(text: string, limits: JsonLimits = {}): ParsedJson {
  const excess = excessOfText(text, limits);
  if (excess) return { ok: false, error: excess };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (cause) {
    const what = text.startsWith("\uFEFF") ? "the text starts with a byte order mark" : "the text is not valid JSON";
    return { ok: false, error: new ProtocolError(ErrorCode.parseError, `Parse error: ${what}`, { cause }) };
  }
}

/** @throws {SdkError} `invalid-argument` for a value that JSON cannot express: cycles, bigints, nesting beyond the stack. */
export function serializeJson(value: unknown): string {
  const text = serializeMember(value);
  if (text === undefined) throw new SdkError("invalid-argument", `JSON has no form for a ${typeof value}`);
  return text;
}

/** `serializeJson` for a member of an object: undefined for a value that JSON leaves out. */
export function serializeMember(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new SdkError("invalid-argument", "The value cannot be serialized as JSON", { cause });
  }
}
