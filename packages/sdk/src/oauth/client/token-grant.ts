/** The interface of a grant: a way to get tokens. A session keeps the tokens; each grant has a file of its own. */
import type { GuardedFetch } from "../grammar/guarded-fetch.js";
import type { RegisteredClient } from "./client-authentication.js";
import type { DpopBinding } from "./dpop-binding.js";
import type { DiscoveredServer } from "./server-discovery.js";
import type { IssuedTokens } from "./token-response.js";

export interface GrantRequest {
  readonly server: DiscoveredServer;
  /** The value of the `resource` parameter. */
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly fetch: GuardedFetch;
  readonly signal: AbortSignal;
  readonly dpop: DpopBinding | undefined;
}

export interface Granted {
  readonly tokens: IssuedTokens;
  readonly client: RegisteredClient;
  /** The scopes that the grant has asked for: those of the request, and possibly `offline_access`. */
  readonly scopes: readonly string[];
}

export interface TokenGrant {
  /**
   * @throws {OAuthError} the error that the token endpoint answered.
   * @throws {SdkError} `authorization-failed` or `authorization-required`.
   */
  obtain(request: GrantRequest): Promise<Granted>;
}
