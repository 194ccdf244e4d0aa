/** The digest of a file's raw bytes: `sha256:` and 64 lower-case hexadecimal digits. */
export async function contentDigest(bytes: Uint8Array): Promise<string> {
  // The type of `digest` excludes shared memory, which no caller passes.
  const hash = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return `sha256:${[...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
