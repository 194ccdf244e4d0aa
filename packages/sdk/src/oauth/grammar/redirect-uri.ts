/** Checks redirect URIs at the registration of a client, and compares a request's with the registered one. */

const MAX_LENGTH = 2_048;
const HTTPS = /^https:\/\//i;
/** Captures scheme and host, and the part after the port. Nothing is normalized, so only the port can differ. */
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(\/.*|\?.*)?$/;
/** Matches characters that the URL parser may remove or replace: spaces, control characters, backslashes and non-ASCII. */
const UNSAFE_CHARACTERS = /[^\x21-\x5b\x5d-\x7e]/;

/** Describes the problem of a redirect URI, as the end of a sentence. Undefined for an acceptable URI. */
export function redirectUriProblem(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (UNSAFE_CHARACTERS.test(uri)) return "contains a character that must be percent-encoded";
  if (!URL.canParse(uri)) return "is not an absolute URL";
  const { username, password } = new URL(uri);
  if (!HTTPS.test(uri) && !LOOPBACK.test(uri)) {
    return "must use https, or http on localhost, 127.0.0.1 or [::1]";
  }
  if (username !== "" || password !== "") return "must not contain credentials";
  return uri.includes("#") ? "must not contain a fragment" : undefined;
}

/**
 * Whether a request's redirect URI is the registered one: equal as text, or, if both are loopback addresses, equal except for
 * the port (RFC 8252, section 7.3).
 */
export function matchesRedirectUri(registered: string, given: string): boolean {
  if (registered === given) return true;
  const [one, other] = [LOOPBACK.exec(registered), LOOPBACK.exec(given)];
  if (one === null || other === null || redirectUriProblem(given) !== undefined) return false;
  return one[1] === other[1] && one[2] === other[2];
}
