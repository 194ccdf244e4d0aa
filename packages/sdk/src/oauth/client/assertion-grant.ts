/**
 * The JWT bearer grant (RFC 7523): an assertion of somebody whom the authorization server trusts stands for the login. A
 * workload's platform signs one, or an enterprise's identity provider does (see identity-provider.ts).
 */
import { SdkError } from "../../errors/sdk-error.js";
import { joinScopes } from "../grammar/scope.js";
import type { RegisteredClient } from "./client-authentication.js";
import type { Granted, GrantRequest, TokenGrant } from "./token-grant.js";
import { requestTokens } from "./token-request.js";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** What an assertion is asked for. */
export interface AssertionRequest {
  /** Issuer of the authorization server that will read the assertion: its audience. */
  readonly audience: string;
  /** Resource identifier of the MCP server. */
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly clientId: string;
  readonly signal: AbortSignal;
}

/** Returns a signed assertion. Called once for every token. */
export type AssertionSource = (request: AssertionRequest) => string | Promise<string>;

export interface AssertionGrantOptions {
  readonly client: RegisteredClient;
  readonly source: (request: GrantRequest) => string | Promise<string>;
}

export class AssertionGrant implements TokenGrant {
  readonly #options: AssertionGrantOptions;

  constructor(options: AssertionGrantOptions) {
    this.#options = options;
  }

  async obtain(request: GrantRequest): Promise<Granted> {
    const { client, source } = this.#options;
    const { server, resource, scopes, fetch, signal, dpop } = request;
    const { grant_types_supported: supported } = server.metadata;
    if (supported !== undefined && !supported.includes(JWT_BEARER)) {
      const message = `${server.issuer} does not take assertions: its metadata lacks the grant type ${JWT_BEARER}`;
      throw new SdkError("authorization-failed", message);
    }
    const assertion = await source(request);
    const parameters = { assertion, resource, ...(scopes.length > 0 && { scope: joinScopes(scopes) }) };
    const tokens = await requestTokens({ server, client, grantType: JWT_BEARER, parameters, fetch, signal, dpop });
    return { tokens, client, scopes };
  }
}
