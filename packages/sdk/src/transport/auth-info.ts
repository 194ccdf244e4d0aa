/** What an access token says about the user and the client that a request comes from. */
export interface AuthInfo {
  /** The authorization server that issued the token. */
  readonly issuer?: string | undefined;
  /** The user, as the issuer names them; undefined for a client that acts for itself under some issuers. */
  readonly subject?: string | undefined;
  readonly clientId?: string | undefined;
  /** What the token permits, scopes that others imply included. */
  readonly scopes: readonly string[];
  /** The resources that the token is for. */
  readonly audience?: string | readonly string[] | undefined;
  /** Milliseconds since 1970 at which the token expires. */
  readonly expiresAt?: number | undefined;
  /** Every claim of the token, or every member of the introspection response. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The user's access to another service, where the authorization server obtained it. It is never sent to clients. */
  readonly upstream?: unknown;
}
