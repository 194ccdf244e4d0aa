/** Derives the principal of a token: one string per user, the same for all tokens of the user, and never the token itself. */
import { sha256Hex } from "../../runtime/hexadecimal.js";
import type { AuthInfo } from "../../transport/auth-info.js";

/**
 * Sessions, caches and subscriptions are bound to the principal. A token without subject and client is its own principal. A
 * client that acts for itself has its client id as subject (RFC 9068). A user of that name has another principal.
 */
export async function principalOf({ issuer = "", subject, clientId }: AuthInfo, token: string): Promise<string> {
  if (subject !== undefined && subject !== clientId) return JSON.stringify([issuer, "user", subject]);
  if (clientId !== undefined) return JSON.stringify([issuer, "client", clientId]);
  return JSON.stringify([issuer, "token", await sha256Hex(token)]);
}
