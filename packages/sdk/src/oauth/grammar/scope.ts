/** Scopes of OAuth (RFC 6749, section 3.3): tokens separated by spaces, in any order. */

const MAX_SCOPES = 256;
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

/** Parses a scope parameter. Drops duplicates, tokens that the grammar excludes, and tokens beyond 256. */
export function parseScope(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  return unionScopes(text.split(" ").filter((token) => SCOPE_TOKEN.test(token)));
}

export function joinScopes(scopes: readonly string[]): string {
  return scopes.join(" ");
}

/** The union of several sets of scopes, in the order of first appearance, and at most 256. */
export function unionScopes(...sets: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(sets.flat())].slice(0, MAX_SCOPES);
}
