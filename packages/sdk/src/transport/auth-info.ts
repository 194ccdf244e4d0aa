/** Access to another service on behalf of a user. */
export interface UpstreamToken {
  /** The name of the provider that issued the token. */
  readonly provider: string;
  /** A secret: send it to the provider's services alone. */
  readonly accessToken: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970; undefined if the provider named no time. */
  readonly expiresAt?: number | undefined;
}

/** The user and the client of a request, from the claims of its access token. */
export interface AuthInfo {
  /** The authorization server that issued the token. */
  readonly issuer?: string | undefined;
  /** The user, as the issuer names them; undefined for a client that acts for itself under some issuers. */
  readonly subject?: string | undefined;
  readonly clientId?: string | undefined;
  /** Scopes of the token, including implied ones. */
  readonly scopes: readonly string[];
  /** The resources that the token is for. */
  readonly audience?: string | readonly string[] | undefined;
  /** Milliseconds since 1970 at which the token expires. */
  readonly expiresAt?: number | undefined;
  /** Every claim of the token, or every member of the introspection response. */
  readonly claims: Readonly<Record<string, unknown>>;
  /**
   * The user's token for the upstream login service, renewed if it has expired; undefined once access has ended. Present only if
   * the authorization server runs in this process or shares its store. It is never sent to clients.
   */
  readonly upstream?: (() => Promise<UpstreamToken | undefined>) | undefined;
}
