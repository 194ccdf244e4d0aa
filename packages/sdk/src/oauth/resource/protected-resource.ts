/**
 * Protects an MCP server as a resource of OAuth: authenticates requests by their tokens and refuses others with a challenge.
 * Hosts take it as their option `authorization`; other frameworks call `check`.
 */

import { SdkError } from "../../errors/sdk-error.js";
import type { HttpRequest } from "../../hosting/http/http-host.js";
import { HttpRefusal } from "../../hosting/http/http-refusal.js";
import type { ResourceGate } from "../../hosting/http/resource-gate.js";
import { sha256Hex } from "../../runtime/hexadecimal.js";
import type { AuthInfo } from "../../transport/auth-info.js";
import { type Caller, holdsScopes } from "../../transport/caller.js";
import type { ProtectedResourceMetadata } from "../grammar/metadata.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { sameResource, secureResource } from "../grammar/resource-uri.js";
import { resourceMetadataUrls } from "../grammar/well-known.js";
import { type Credentials, readCredentials } from "./credentials.js";
import { jwtVerifier } from "./jwt-verifier.js";
import { ProofCheck, thumbprintOf } from "./proof-check.js";
import { checkProtectedResource, type ProtectedResourceOptions, scopeExpander } from "./protected-resource-options.js";
import { insufficientScope, PROOF_ALGORITHMS, ResourceChallenges } from "./resource-challenges.js";
import { quoted, rejectionOf } from "./token-rejection.js";
import { checkAuthInfo, invalidToken, type TokenVerifier, toVerifier } from "./token-verifier.js";
import { VerificationUnavailable, type VerifiedToken, VerifiedTokens } from "./verified-tokens.js";

/** The parts of a request that the gate reads. */
type Presented = Pick<HttpRequest, "method" | "path" | "header" | "address">;

const MAX_TOKEN_CHARACTERS = 16_384;

/** The spelling of the scheme by almost every client, for the fast path. */
const BEARER = "Bearer ";

/** A server that needs access tokens. `protectedResource` makes one. */
export class ProtectedResource implements ResourceGate {
  readonly documents: ReadonlyMap<string, string>;
  readonly requiredScopes: readonly string[];
  /** The metadata document (RFC 9728), for hosts that serve it themselves. */
  readonly metadata: ProtectedResourceMetadata;
  /** The URL of the metadata document. */
  readonly metadataUrl: string;
  readonly #options: ProtectedResourceOptions;
  readonly resource: string;
  readonly #verifier: TokenVerifier;
  readonly #challenges: ResourceChallenges;
  readonly #tokens: VerifiedTokens;
  readonly #dpop: ProofCheck;
  readonly #expand: (scopes: readonly string[]) => readonly string[];
  readonly #skewMs: number;
  readonly #now: () => number;

  /** @throws {SdkError} `invalid-argument` for a resource or an issuer that is no secure URL, and for other options. */
  constructor(options: ProtectedResourceOptions) {
    const issuers = checkProtectedResource(options);
    const { requiredScopes = [], scopesSupported = [], skewMs = 60_000, now = () => Date.now(), fetch } = options;
    const { cacheMs = 60_000, rejectedMs = 5_000, maxCachedTokens = 10_000, maxCachedBytes = 33_554_432 } = options;
    const { maxPendingTokens: maxPending = 1_000, verifyTimeoutMs: timeoutMs = 15_000 } = options;
    this.#options = options;
    this.resource = secureResource(options.resource);
    this.#skewMs = skewMs;
    this.#now = now;
    this.#verifier = toVerifier(options.verifier ?? jwtVerifier({ issuer: issuers, skewMs, now, fetch }));
    this.#expand = scopeExpander(options.impliedScopes);
    this.requiredScopes = requiredScopes;
    this.metadata = metadataOf(options, this.resource, issuers);
    const urls = resourceMetadataUrls(new URL(this.resource));
    const document = JSON.stringify(this.metadata);
    this.documents = new Map(urls.map(({ pathname }) => [pathname, document]));
    this.metadataUrl = String(urls[0]);
    this.#challenges = new ResourceChallenges({
      metadataUrl: this.metadataUrl,
      scopes: requiredScopes.length > 0 ? requiredScopes : scopesSupported,
      requiresDpop: options.dpop?.required === true,
    });
    const limits = { maxTokens: maxCachedTokens, maxBytes: maxCachedBytes, maxPending, cacheMs, rejectedMs, timeoutMs };
    this.#tokens = new VerifiedTokens(limits, now);
    this.#dpop = new ProofCheck({ ...options.dpop, resource: this.resource, skewMs, now });
  }

  async ready(): Promise<void> {
    try {
      await this.#verifier.ready?.();
    } catch (cause) {
      const { verifier, issuer } = this.#options;
      // An authorization server in this process cannot answer before the process listens.
      const isOurs = verifier === undefined && [issuer].flat().some((one) => isSameHost(one, this.resource));
      if (!isOurs || !(cause instanceof SdkError)) throw cause;
      throw new SdkError(cause.code, `${cause.message}. ${OWN_ISSUER}`, { cause });
    }
  }

  /** Returns synchronously for a cached token that is not bound to a key. */
  authenticate(request: Presented): Caller | Promise<Caller> {
    const header = request.header("authorization");
    const known = this.#known(header);
    if (known !== undefined) return known.caller;
    const credentials = readCredentials(header);
    if (credentials === undefined) throw this.#challenges.missing();
    if (credentials === "malformed") throw this.#challenges.malformed();
    return this.#authenticateLater(credentials, request);
  }

  /** Fast path for cached Bearer tokens. Measured: parsing the header takes longer than the lookup. */
  #known(header: string | undefined): VerifiedToken | undefined {
    if (header === undefined || this.#options.dpop?.required || !header.startsWith(BEARER)) return undefined;
    const known = this.#tokens.get(header.slice(BEARER.length));
    return known?.thumbprint === undefined ? known : undefined;
  }

  /**
   * Checks a request in a framework of your own. Returns the contents of its token, or the response to send instead. Pass the
   * caller's address, so that invalid tokens of one address do not delay other callers.
   *
   * @example
   * const gate = protectedResource({ resource: "https://mcp.example.com/mcp", issuer: "https://login.example.com" });
   * const auth = await gate.check(new Request("https://mcp.example.com/mcp"));
   * if (!(auth instanceof Response)) console.log(auth.subject, auth.scopes);
   */
  async check(
    request: Request,
    { address }: { readonly address?: string | undefined } = {},
  ): Promise<AuthInfo | Response> {
    const { method, url, headers } = request;
    const header = (name: string) => headers.get(name) ?? undefined;
    try {
      const caller = await this.authenticate({ method, path: new URL(url).pathname, header, address });
      if (holdsScopes(caller, this.requiredScopes)) return caller.auth as AuthInfo;
      const challenge = String(caller.scopeChallenge?.(this.requiredScopes));
      const response = { status: 403, headers: { "www-authenticate": challenge } };
      return Response.json(insufficientScope(this.requiredScopes), response);
    } catch (error) {
      if (!(error instanceof HttpRefusal)) throw error;
      const { status, headers: sent, error: body } = error;
      return Response.json(body?.data ?? { error_description: body?.message }, { status, headers: { ...sent } });
    }
  }

  async #authenticateLater(credentials: Credentials, request: Presented): Promise<Caller> {
    const { scheme, token } = credentials;
    try {
      const verified =
        this.#tokens.get(token) ?? (await this.#tokens.verify(token, request.address, () => this.#verify(token)));
      await this.#dpop.check(credentials, verified, request);
      return verified.caller;
    } catch (error) {
      if (error instanceof OAuthError) throw await this.#refusalOf(error, scheme);
      const isUpstreamFailure =
        error instanceof VerificationUnavailable ||
        // Any other code is a mistake in a verifier of the author, which a later attempt does not mend.
        (error instanceof SdkError && error.code === "authorization-failed");
      throw isUpstreamFailure ? this.#challenges.unavailable(error) : error;
    }
  }

  async #refusalOf(error: OAuthError, scheme: Credentials["scheme"]): Promise<HttpRefusal> {
    const { code, description = code } = error;
    if (code !== "invalid_dpop_proof" && code !== "use_dpop_nonce") {
      return this.#challenges.invalidToken(scheme, rejectionOf(error));
    }
    return this.#challenges.invalidProof({ error: code, error_description: description }, await this.#dpop.nonce());
  }

  /** @throws {OAuthError} `invalid_token` */
  async #verify(token: string): Promise<VerifiedToken> {
    if (token.length > MAX_TOKEN_CHARACTERS) {
      throw invalidToken("too-long", `the token has more than ${MAX_TOKEN_CHARACTERS} characters`);
    }
    const auth = await this.#verifier.verify(token, { resource: this.resource });
    checkAuthInfo(auth);
    if (!this.#isForUs(auth)) {
      const expected = [this.resource, ...(this.#options.audiences ?? [])].map(quoted).join(" or ");
      throw invalidToken("audience", `aud is ${quoted(auth.audience)}; expected ${expected}`);
    }
    const expiresAt = auth.expiresAt === undefined ? undefined : auth.expiresAt + this.#skewMs;
    if (expiresAt !== undefined && expiresAt <= this.#now()) {
      throw invalidToken("expired", `the token has expired ${this.#now() - expiresAt} ms ago, beyond skewMs`);
    }
    const callerAuth: AuthInfo = Object.freeze({ ...auth, scopes: Object.freeze(this.#expand(auth.scopes)) });
    const thumbprint = thumbprintOf(callerAuth.claims);
    const scheme = thumbprint === undefined ? "bearer" : "dpop";
    const scopeChallenge = (scopes: readonly string[]) => this.#challenges.scopes(scheme, scopes);
    const principal = await principalOf(callerAuth, token);
    return { caller: { principal, auth: callerAuth, expiresAt, scopeChallenge }, thumbprint };
  }

  #isForUs({ audience = [] }: AuthInfo): boolean {
    const { verifierChecksAudience = false, audiences = [] } = this.#options;
    if (verifierChecksAudience) return true;
    return [audience].flat().some((one) => sameResource(one, this.resource) || audiences.includes(one));
  }
}

/**
 * Makes an MCP server a protected resource: requests need an access token that one of its issuers issued for it.
 * @throws {SdkError} `invalid-argument` for a resource or an issuer that is no secure URL, and for other options.
 *
 * @example
 * const authorization = protectedResource({ resource: "https://mcp.example.com/mcp", issuer: "https://login.example.com" });
 * await serveHttp(server, { port: 3000, authorization });
 */
export function protectedResource(options: ProtectedResourceOptions): ProtectedResource {
  return new ProtectedResource(options);
}

const OWN_ISSUER =
  "If this process serves it, pass `verifier: login.verifyAccessToken`, where `login` is its authorizationServer";

function isSameHost(one: string, other: string): boolean {
  return new URL(one).hostname === new URL(other).hostname;
}

function metadataOf(
  { scopesSupported, name, documentation, dpop }: ProtectedResourceOptions,
  resource: string,
  issuers: readonly string[],
): ProtectedResourceMetadata {
  return {
    resource,
    authorization_servers: issuers,
    ...(scopesSupported && { scopes_supported: scopesSupported }),
    bearer_methods_supported: ["header"],
    ...(name !== undefined && { resource_name: name }),
    ...(documentation !== undefined && { resource_documentation: documentation }),
    dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
    ...(dpop?.required && { dpop_bound_access_tokens_required: true }),
  };
}

/**
 * The principal of a token: one string per user, the same for all tokens of the user, and never the token itself. Sessions, caches
 * and subscriptions are bound to it. A token without subject and client is its own principal. A client that acts for itself has its
 * client id as subject (RFC 9068). A user of that name has another principal.
 */
async function principalOf({ issuer = "", subject, clientId }: AuthInfo, token: string): Promise<string> {
  if (subject !== undefined && subject !== clientId) return JSON.stringify([issuer, "user", subject]);
  if (clientId !== undefined) return JSON.stringify([issuer, "client", clientId]);
  return JSON.stringify([issuer, "token", await sha256Hex(token)]);
}
