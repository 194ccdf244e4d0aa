/** Hexadecimal digits of bytes and digests. */

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the SHA-256 digest of a text, or its first bytes. */
export async function sha256Hex(text: string, maxBytes = 32): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toHex(new Uint8Array(bytes, 0, maxBytes));
}
