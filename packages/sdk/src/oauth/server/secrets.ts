/** Random secrets, their digests, and a constant-time comparison of digests. */
import { base64url } from "jose";

const SECRET_BYTES = 32;
const encoder = new TextEncoder();

/** 256 random bits as 43 characters of Base64url. */
export function randomSecret(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}

/** SHA-256 as Base64url. Several parts are joined as JSON, so that different lists of parts have different digests. */
export async function digest(...parts: readonly string[]): Promise<string> {
  const text = parts.length === 1 ? (parts[0] as string) : JSON.stringify(parts);
  return base64url.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
}

/** Compares two digests in a time that depends only on their length. */
export function isSameDigest(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}
