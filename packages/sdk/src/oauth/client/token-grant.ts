/** The seam between a session, which keeps tokens, and the ways to get them: one file for each grant. */
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
  /** The scopes that were asked for in the end. */
  readonly scopes: readonly string[];
}

export interface TokenGrant {
  /**
   * @throws {OAuthError} what the token endpoint answered.
   * @throws {SdkError} `authorization-failed` or `authorization-required`.
   */
  obtain(request: GrantRequest): Promise<Granted>;
}
