/** The identity that a request has for its server, as its headers tell: a digest, since cache stores see it. */

type Headers = Readonly<Record<string, string>>;

/** Headers that no server authorizes by. Any other header may bear a credential, so it counts. */
const BEARS_NO_CREDENTIAL: ReadonlySet<string> = new Set([
  "user-agent",
  "traceparent",
  "tracestate",
  "baggage",
  "x-request-id",
  "x-correlation-id",
]);

/** Two requests without any such header have the same identity. */
const ANONYMOUS = "anonymous";

/**
 * @param layers headers of the connection and of the call; later ones replace earlier ones
 * @param salt a secret, so that no store can guess a weak credential from its digest
 */
export async function requestIdentity(layers: readonly Headers[], salt: string): Promise<string> {
  // Of entries with one name the last stays.
  const fields = layers.flatMap((layer) => Object.entries(layer).map(([name, value]) => [name.toLowerCase(), value]));
  const telling = Object.entries(Object.fromEntries(fields))
    .filter(([name]) => !BEARS_NO_CREDENTIAL.has(name))
    .sort();
  return telling.length === 0 ? ANONYMOUS : digest(JSON.stringify([salt, telling]));
}

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
