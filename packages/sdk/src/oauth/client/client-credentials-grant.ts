/** The client credentials grant: a program gets tokens for itself, without a user. */
import { joinScopes } from "../grammar/scope.js";
import type { RegisteredClient } from "./client-authentication.js";
import type { Granted, GrantRequest, TokenGrant } from "./token-grant.js";
import { requestTokens } from "./token-request.js";

export class ClientCredentialsGrant implements TokenGrant {
  readonly #client: RegisteredClient;

  constructor(client: RegisteredClient) {
    this.#client = client;
  }

  async obtain({ server, resource, scopes, fetch, signal, dpop }: GrantRequest): Promise<Granted> {
    const client = this.#client;
    const parameters = { resource, ...(scopes.length > 0 && { scope: joinScopes(scopes) }) };
    const grantType = "client_credentials";
    const tokens = await requestTokens({ server, client, grantType, parameters, fetch, signal, dpop });
    return { tokens, client, scopes };
  }
}
