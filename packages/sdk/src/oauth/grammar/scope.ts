/** Scopes of OAuth by RFC 6749, section 3.3: tokens separated by spaces, whose order has no meaning. */

const MAX_SCOPES = 256;
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

/** The scopes of a text without duplicates. Tokens that the grammar excludes, and those beyond 256, are dropped. */
export function parseScope(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  return unionScopes(text.split(" ").filter((token) => SCOPE_TOKEN.test(token)));
}

export function joinScopes(scopes: readonly string[]): string {
  return scopes.join(" ");
}

/** Every scope of the sets once, in the order of their first appearance, and no more than 256. */
export function unionScopes(...sets: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(sets.flat())].slice(0, MAX_SCOPES);
}
