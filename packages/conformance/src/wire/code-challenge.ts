/** The S256 challenge of a PKCE verifier. */
import { sha256 } from "./sha256.js";

export function codeChallenge(verifier: string): string {
  return sha256(verifier).toString("base64url");
}
