/** Bytes as base64url text without padding, and back. */
import { encodeBase64 } from "../../runtime/base64.js";

export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Undefined for anything that is not, letter by letter, what encoding would have given. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  const bytes = Uint8Array.from(decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/")), toByte);
  return encodeBase64Url(bytes) === text ? bytes : undefined;
}

function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}

function toByte(character: string): number {
  return character.charCodeAt(0);
}
