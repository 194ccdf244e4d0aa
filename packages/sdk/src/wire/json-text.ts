/** JSON text to values and back, within limits. The one place that decides what counts as parsable. */
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";

export const DEFAULT_MAX_DEPTH = 512;

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  /** The error's code is what to answer with: -32700 for text that is not JSON, -32600 for nesting over the limit. */
  | { readonly ok: false; readonly error: ProtocolError };

export interface ParseOptions {
  /** How many arrays and objects may lie inside one another. */
  readonly maxDepth?: number;
}

export function parseJson(text: string, options: ParseOptions = {}): ParsedJson {
  const { maxDepth = DEFAULT_MAX_DEPTH } = options;
  // Nesting that deep takes an opening and a closing bracket per level, so most texts are too short to need the scan.
  if (text.length > 2 * maxDepth && isDeeperThan(text, maxDepth)) {
    const message = `Invalid request: the JSON text is nested deeper than ${maxDepth} levels`;
    return { ok: false, error: new ProtocolError(ErrorCode.invalidRequest, message) };
  }
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (cause) {
    const what = text.startsWith("\uFEFF") ? "the text starts with a byte order mark" : "the text is not valid JSON";
    return { ok: false, error: new ProtocolError(ErrorCode.parseError, `Parse error: ${what}`, { cause }) };
  }
}

/** @throws {SdkError} `invalid-argument` for what JSON cannot express: cycles, bigints, nesting beyond the stack. */
export function serializeJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new SdkError("invalid-argument", "The value cannot be serialized as JSON", { cause });
  }
  if (text === undefined) throw new SdkError("invalid-argument", `JSON has no form for a ${typeof value}`);
  return text;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Counts brackets outside strings. On text that is not JSON the count may be off, which JSON.parse then settles. */
function isDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      depth -= 1;
    }
  }
  return false;
}

/** The index of the quote that closes the string opened at `start`, or the text's length. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (index - first) % 2 === 1;
}
