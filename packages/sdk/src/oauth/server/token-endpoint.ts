/** The token endpoint: authenticates the client, and then runs the method of the requested grant. */

import type { DpopProofVerifier, VerifiedProof } from "../grammar/dpop-proof.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { sameResource } from "../grammar/resource-uri.js";
import { parseScope } from "../grammar/scope.js";
import type { AccessTokens, TokenResponse } from "./access-tokens.js";
import type { ClientAuthentication } from "./client-authentication.js";
import { type ClientRecord, isConfidential } from "./client-record.js";
import { readForm, required } from "./form-body.js";
import { type Grants, type IssuedGrant, keyOf } from "./grants.js";
import { type IdentityAssertionGrant, JWT_BEARER } from "./identity-assertion-grant.js";
import type { LoggedInUser, LoginProvider } from "./login-provider.js";
import { grantedScopes, type ResourceDirectory } from "./resource-directory.js";
import type { GrantUpstreams } from "./upstream/grant-upstreams.js";

export interface TokenEndpointOptions {
  readonly url: string;
  readonly authentication: ClientAuthentication;
  readonly grants: Grants;
  readonly login: Pick<LoginProvider, "isStillValid">;
  readonly upstreams: GrantUpstreams;
  readonly tokens: AccessTokens;
  readonly resources: ResourceDirectory;
  readonly assertions: IdentityAssertionGrant;
  readonly proofs: DpopProofVerifier;
}

/** A request whose client is known. */
interface TokenRequest {
  readonly client: ClientRecord;
  readonly form: URLSearchParams;
  /** The DPoP proof of the request, if it has one. The endpoint marks it as used after all other checks. */
  readonly proof: VerifiedProof | undefined;
}

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

export class TokenEndpoint {
  readonly #options: TokenEndpointOptions;

  constructor(options: TokenEndpointOptions) {
    this.#options = options;
  }

  /** @throws {OAuthError} of RFC 6749, section 5.2, and of the extensions */
  async handle(request: Request, address: string | undefined): Promise<TokenResponse> {
    const { authentication, proofs, url } = this.#options;
    const form = await readForm(request);
    const header = request.headers.get("dpop");
    // Verified before the client authenticates: a request that lacks a nonce must not use up its client assertion.
    const proof = header === null ? undefined : await proofs.verify(header, { method: "POST", url });
    const client = await authentication.authenticate(request, form, address);
    return this.#grant(required(form, "grant_type"), { client, form, proof });
  }

  async #grant(grantType: string, request: TokenRequest): Promise<TokenResponse> {
    const grant = this.#grantOf(grantType);
    if (!grant) throw refused("unsupported_grant_type", "this server does not have that grant_type");
    if (!request.client.grantTypes.includes(grantType)) {
      throw refused("unauthorized_client", "the client is not registered for that grant_type");
    }
    return grant(request);
  }

  #grantOf(grantType: string): ((request: TokenRequest) => Promise<TokenResponse>) | undefined {
    switch (grantType) {
      case "authorization_code":
        return (request) => this.#redeemCode(request);
      case "refresh_token":
        return (request) => this.#refresh(request);
      case "client_credentials":
        return (request) => this.#clientCredentials(request);
      case JWT_BEARER:
        return this.#options.assertions.isOffered ? (request) => this.#redeemAssertion(request) : undefined;
      default:
        return undefined;
    }
  }

  async #redeemCode({ client, form, proof }: TokenRequest): Promise<TokenResponse> {
    const verifier = required(form, "code_verifier");
    if (!VERIFIER.test(verifier))
      throw refused("invalid_grant", "code_verifier must have 43 to 128 unreserved characters");
    const issued = await this.#options.grants.redeem(required(form, "code"), {
      clientId: client.clientId,
      redirectUri: form.get("redirect_uri") ?? undefined,
      resource: form.get("resource") ?? undefined,
      verifier,
      proof,
      wantsRefresh: client.grantTypes.includes("refresh_token"),
      bindsRefresh: !isConfidential(client),
    });
    return this.#issue(issued, issued.grant.scopes, proof);
  }

  async #refresh({ client, form, proof }: TokenRequest): Promise<TokenResponse> {
    const token = required(form, "refresh_token");
    // Read without spending the token, so that a client can repeat a request that asked for too much.
    const stored = await this.#options.grants.find(token);
    const resource = form.get("resource");
    if (stored && resource !== null && !sameResource(stored.value.resource, resource)) {
      throw refused("invalid_target", "the grant is for another resource");
    }
    const wanted = form.get("scope");
    const scopes = wanted === null ? undefined : parseScope(wanted);
    if (stored && scopes?.some((scope) => !stored.value.scopes.includes(scope))) {
      throw refused("invalid_scope", "the scope goes beyond the grant; ask the user again to widen it");
    }
    if (stored) await this.#checkUser(token, stored.value);
    const issued = await this.#options.grants.refresh(token, client.clientId, proof);
    return this.#issue(issued, scopes ?? issued.grant.scopes, proof);
  }

  /** @throws {OAuthError} `invalid_grant` if the user has lost access, here or at an upstream provider */
  async #checkUser(token: string, grant: LoggedInUser): Promise<void> {
    const { grants, login, upstreams } = this.#options;
    if ((await login.isStillValid?.(grant)) === false) {
      await grants.end(await keyOf(token));
      throw refused("invalid_grant", "the user has lost access or has another password; log in again");
    }
    await upstreams.check(token);
  }

  async #clientCredentials({ client, form, proof }: TokenRequest): Promise<TokenResponse> {
    const { clientId } = client;
    if (!isConfidential(client)) throw refused("unauthorized_client", "a public client has no credentials of its own");
    const served = this.#options.resources.find(form.get("resource"));
    const scopes = grantedScopes(form.get("scope"), served, client);
    const thumbprint = spent(proof, clientId);
    return this.#options.tokens.issue({ subject: clientId, clientId, resource: served.resource, scopes, thumbprint });
  }

  async #redeemAssertion({ client, form, proof }: TokenRequest): Promise<TokenResponse> {
    if (!isConfidential(client)) throw refused("unauthorized_client", "a public client cannot redeem an assertion");
    const asserted = await this.#options.assertions.redeem(required(form, "assertion"), client);
    const served = this.#options.resources.find(asserted.resource);
    const permitted = grantedScopes(asserted.scope, served, client);
    const scopes = grantedScopes(form.get("scope"), { ...served, scopes: permitted }, client);
    const { clientId } = client;
    const { subject } = asserted;
    const thumbprint = spent(proof, subject);
    return this.#options.tokens.issue({ subject, clientId, resource: served.resource, scopes, thumbprint });
  }

  async #issue(
    { grant, key, refreshToken }: IssuedGrant,
    scopes: readonly string[],
    proof: VerifiedProof | undefined,
  ): Promise<TokenResponse> {
    const { subject, clientId, resource } = grant;
    const response = await this.#options.tokens.issue({
      subject,
      clientId,
      resource,
      scopes,
      grantKey: key,
      thumbprint: proof?.thumbprint,
    });
    return { ...response, ...(refreshToken !== undefined && { refresh_token: refreshToken }) };
  }
}

/** Spends the proof of a request that is valid otherwise. Returns the thumbprint of its key. */
function spent(proof: VerifiedProof | undefined, subject: string): string | undefined {
  proof?.spend(subject);
  return proof?.thumbprint;
}

function refused(code: string, description: string): OAuthError {
  return new OAuthError(code, description, { status: 400 });
}
