/** Redirect URIs: which ones a client may register, and which registered one a request means. */

const MAX_LENGTH = 2_048;
const HTTPS = /^https:\/\//i;
/** Scheme and host, then the port, then all the rest. Nothing is normalized, so only the port can differ. */
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(\/.*|\?.*)?$/;
/** Spaces, control characters and backslashes, some of which the URL parser removes or replaces, and all but ASCII. */
const UNSAFE_CHARACTERS = /[^\x21-\x5b\x5d-\x7e]/;

/** The problem of a redirect URI, as the end of a sentence. Undefined for an acceptable URI. */
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
 * Whether a request's redirect URI is the registered one: equal as text, or equal but for the port where both are loopback
 * addresses (RFC 8252, section 7.3).
 */
export function matchesRedirectUri(registered: string, given: string): boolean {
  if (registered === given) return true;
  const [one, other] = [LOOPBACK.exec(registered), LOOPBACK.exec(given)];
  if (one === null || other === null || redirectUriProblem(given) !== undefined) return false;
  return one[1] === other[1] && one[2] === other[2];
}
