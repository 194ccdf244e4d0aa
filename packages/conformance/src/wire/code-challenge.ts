/** The S256 challenge of a PKCE verifier. */
import { createHash } from "node:crypto";

export function codeChallenge(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}
