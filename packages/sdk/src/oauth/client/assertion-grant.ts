/**
 * The JWT bearer grant (RFC 7523): exchanges an assertion for tokens, without a login. A party that the authorization server
 * trusts signs the assertion: a workload's platform, or an enterprise's identity provider (identity-provider.ts).
 */
import { SdkError } from "../../errors/sdk-error.js";
import { joinScopes } from "../grammar/scope.js";
import type { RegisteredClient } from "./client-authentication.js";
import type { Granted, GrantRequest, TokenGrant } from "./token-grant.js";
import { requestTokens } from "./token-request.js";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** The facts that an assertion must cover. */
export interface AssertionRequest {
  /** Audience of the assertion: the issuer of the authorization server. */
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
