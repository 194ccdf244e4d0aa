/** Encodes any text as an HTTP header value and decodes it: plain where HTTP allows it, else Base64 between two markers. */
import { SdkError } from "../errors/sdk-error.js";
import { encodeBase64 } from "../runtime/base64.js";

/** A header value that is not a valid encoding. */
export class HeaderValueError extends Error {
  override readonly name = "HeaderValueError";
}

/** Measured before the text is encoded. Servers refuse shorter headers already: Node's takes 16 KiB for all headers together. */
const MAX_TEXT_LENGTH = 65_536;
const PREFIX = "=?base64?";
const SUFFIX = "?=";
/** Visible ASCII with inner spaces only. No tabs, since proxies turn them into spaces. */
const PLAIN = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;
const FIELD_VALUE = /^[\t -~]*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws {SdkError} `invalid-argument` for a text that no header carries. */
export function encodeHeaderValue(text: string): string {
  if (text.length > MAX_TEXT_LENGTH) {
    const message = `A name or argument that HTTP headers repeat must have at most ${MAX_TEXT_LENGTH} characters: got ${text.length}`;
    throw new SdkError("invalid-argument", message);
  }
  if (PLAIN.test(text) && !isMarked(text)) return text;
  return `${PREFIX}${encodeBase64(encoder.encode(text))}${SUFFIX}`;
}

/** @throws {HeaderValueError} for characters that are invalid in headers, invalid Base64, and bytes that are not UTF-8. */
export function decodeHeaderValue(value: string): string {
  if (!FIELD_VALUE.test(value)) throw new HeaderValueError("it holds characters that a header must not have");
  const text = value.trim();
  if (!isMarked(text)) return text;
  const encoded = text.slice(PREFIX.length, -SUFFIX.length);
  if (!BASE64.test(encoded)) throw new HeaderValueError("what lies between the markers is not Base64");
  const binary = atob(encoded);
  // Unused bits must be zero, or one text would have several encodings.
  if (btoa(binary) !== encoded) throw new HeaderValueError("its Base64 has bits left over");
  try {
    return decoder.decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    throw new HeaderValueError("its Base64 does not encode UTF-8");
  }
}

function isMarked(text: string): boolean {
  return text.length >= PREFIX.length + SUFFIX.length && text.startsWith(PREFIX) && text.endsWith(SUFFIX);
}
