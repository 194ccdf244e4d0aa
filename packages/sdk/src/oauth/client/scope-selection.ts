/** Which scopes to ask for: what the challenge names, else the resource's metadata, else the caller's, else none. */
import { unionScopes } from "../grammar/scope.js";

const OFFLINE_ACCESS = "offline_access";

export interface ScopeSources {
  /** Scopes of the challenge. They decide for the call at hand. */
  readonly challenged: readonly string[];
  /** `scopes_supported` of the resource, never of the authorization server. */
  readonly advertised: readonly string[];
  readonly configured: readonly string[];
  /** Scopes asked for before, at the same authorization server: a new login must not lose them. */
  readonly earlier: readonly string[];
}

export function selectScopes({ challenged, advertised, configured, earlier }: ScopeSources): readonly string[] {
  const first = [challenged, advertised, configured].find((scopes) => scopes.length > 0) ?? [];
  return unionScopes(earlier, first);
}

/**
 * Adds `offline_access` where the authorization server offers it. Alone it would stand in for the server's default scopes,
 * so a request without scopes stays without.
 */
export function withOfflineAccess(
  scopes: readonly string[],
  offered: readonly string[] | undefined,
): readonly string[] {
  const isOffered = scopes.length > 0 && offered?.includes(OFFLINE_ACCESS) === true;
  return isOffered ? unionScopes(scopes, [OFFLINE_ACCESS]) : scopes;
}

/** OpenID Connect gives offline access only with `prompt=consent`. */
export function needsConsent(scopes: readonly string[]): boolean {
  return scopes.includes(OFFLINE_ACCESS);
}

/** Whether `scopes` has anything that `among` lacks. */
export function exceeds(scopes: readonly string[], among: readonly string[]): boolean {
  return scopes.some((scope) => !among.includes(scope));
}
