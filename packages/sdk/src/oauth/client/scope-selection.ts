/** Selects the scopes to ask for: those of the challenge, else of the resource's metadata, else of the options, else none. */
import { unionScopes } from "../grammar/scope.js";

const OFFLINE_ACCESS = "offline_access";

export interface ScopeSources {
  /** Scopes of the challenge: those that the refused call needs. */
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
 * Adds `offline_access` if the authorization server offers it. A request without scopes stays without, since `offline_access`
 * alone would replace the server's default scopes.
 */
export function withOfflineAccess(
  scopes: readonly string[],
  offered: readonly string[] | undefined,
): readonly string[] {
  const isOffered = scopes.length > 0 && offered?.includes(OFFLINE_ACCESS) === true;
  return isOffered ? unionScopes(scopes, [OFFLINE_ACCESS]) : scopes;
}

/** OpenID Connect grants offline access only with `prompt=consent`. */
export function needsConsent(scopes: readonly string[]): boolean {
  return scopes.includes(OFFLINE_ACCESS);
}

/** Whether `scopes` has anything that `among` lacks. */
export function exceeds(scopes: readonly string[], among: readonly string[]): boolean {
  return scopes.some((scope) => !among.includes(scope));
}
