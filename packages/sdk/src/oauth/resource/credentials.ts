/** The access token in the `Authorization` header of a request. Tokens in the query or the body are not read. */
export interface Credentials {
  readonly scheme: "bearer" | "dpop";
  readonly token: string;
}

const CREDENTIALS = /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i;
const SCHEME = /^(?:bearer|dpop)(?: |,|$)/i;

/** Undefined without a header, and for other schemes. `malformed` for several credentials, and for text that is no token. */
export function readCredentials(header: string | undefined): Credentials | "malformed" | undefined {
  if (header === undefined) return undefined;
  const [, scheme, token] = CREDENTIALS.exec(header) ?? [];
  if (scheme === undefined || token === undefined) return SCHEME.test(header) ? "malformed" : undefined;
  return { scheme: scheme.length === 4 ? "dpop" : "bearer", token };
}
