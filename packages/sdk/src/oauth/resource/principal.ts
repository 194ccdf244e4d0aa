/** One string per user: the same for every token of theirs, and never the token itself. */
import type { AuthInfo } from "../../transport/auth-info.js";

/**
 * Sessions, caches and subscriptions are bound to it. A token that names nobody stands for itself. The subject of a client
 * that acts for itself is its own id (RFC 9068): a user who is called the same is somebody else.
 */
export async function principalOf({ issuer = "", subject, clientId }: AuthInfo, token: string): Promise<string> {
  if (subject !== undefined && subject !== clientId) return JSON.stringify([issuer, "user", subject]);
  if (clientId !== undefined) return JSON.stringify([issuer, "client", clientId]);
  return JSON.stringify([issuer, "token", await digest(token)]);
}

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
