/**
 * One upstream provider, with this server as its client: discovery, the authorization request, the code exchange and the
 * renewal of tokens. `oauth4webapi` implements the protocol; every call uses the guarded fetch. The authorization endpoint binds
 * logins to browsers.
 */
import * as oauth from "oauth4webapi";
import { basicAuthentication } from "../../grammar/basic-authentication.js";
import type { GuardedFetch, GuardedInit } from "../../grammar/guarded-fetch.js";
import { isSecureUrl } from "../../grammar/loopback.js";
import { parseAuthorizationServerMetadata } from "../../grammar/metadata.js";
import { joinScopes, unionScopes } from "../../grammar/scope.js";
import { UpstreamFailure, upstreamFailure } from "./upstream-failure.js";
import { checkClient, isOAuth2, type OAuth2Provider, scopesOf, type UpstreamClient } from "./upstream-provider.js";
import { namesOf, organizationNames, primaryEmail, subjectOf, type UpstreamUser } from "./upstream-user.js";

export interface UpstreamConnectionOptions {
  readonly client: UpstreamClient;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
  /** Timeout for all calls of one step of a login, or of one renewal. */
  readonly timeoutMs: number;
}

/** The secrets of one login. */
export interface LoginSecrets {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** The code verifier of PKCE. */
  readonly verifier: string;
}

/** The tokens that a provider issued. */
export interface UpstreamTokenSet {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
}

const METADATA_MS = 3_600_000;
const CLOCK_TOLERANCE_SECONDS = 60;

export class UpstreamConnection {
  readonly name: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly #options: UpstreamConnectionOptions;
  readonly #fetch: GuardedFetch;
  #metadata: { readonly server: Promise<oauth.AuthorizationServer>; readonly until: number } | undefined;

  /** @throws {SdkError} `invalid-argument` for a provider whose data cannot work */
  constructor(options: UpstreamConnectionOptions) {
    checkClient(options.client);
    this.#options = options;
    this.#fetch = (input, init) => this.#guarded(input, init);
    this.name = options.client.provider.name;
    this.label = options.client.provider.label;
    this.scopes = scopesOf(options.client);
  }

  /** The URL to send the browser to. @throws {UpstreamFailure} if the provider cannot be discovered */
  async authorizationUrl(
    { redirectUri, state, nonce, verifier }: LoginSecrets,
    loginHint: string | undefined,
  ): Promise<string> {
    const { provider, clientId } = this.#options.client;
    const server = await this.#calling((signal) => this.#server(signal));
    const url = new URL(`${server.authorization_endpoint}`);
    const parameters = {
      ...provider.parameters,
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      ...(this.scopes.length > 0 && { scope: joinScopes(this.scopes) }),
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...(!isOAuth2(provider) && { nonce }),
      ...(loginHint !== undefined && { login_hint: loginHint }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Redeems the code of a callback. @throws {UpstreamFailure} */
  async exchange(
    parameters: URLSearchParams,
    secrets: LoginSecrets,
  ): Promise<{ readonly user: UpstreamUser; readonly tokens: UpstreamTokenSet }> {
    return this.#calling(async (signal) => {
      const server = await this.#server(signal);
      const client = this.#client();
      const callback = oauth.validateAuthResponse(server, client, parameters, secrets.state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        this.#authentication(server),
        callback,
        secrets.redirectUri,
        secrets.verifier,
        this.#request(signal),
      );
      const { provider } = this.#options.client;
      const isOpenId = !isOAuth2(provider);
      const nonce = isOpenId ? { expectedNonce: secrets.nonce, requireIdToken: true } : {};
      const answer = await oauth.processAuthorizationCodeResponse(server, client, response, nonce);
      if (isOpenId) await oauth.validateApplicationLevelSignature(server, response, this.#request(signal));
      const user = isOpenId
        ? await this.#openIdUser(server, answer, signal)
        : await this.#oauth2User(provider, answer.access_token, signal);
      return { user, tokens: this.#tokenSet(answer, { scopes: this.scopes }) };
    });
  }

  /** Renews tokens. @throws {UpstreamFailure} `ended` if the provider has ended its grant */
  async renew(refreshToken: string, current: UpstreamTokenSet): Promise<UpstreamTokenSet> {
    return this.#calling(async (signal) => {
      const server = await this.#server(signal);
      const client = this.#client();
      const authentication = this.#authentication(server);
      const options = this.#request(signal);
      const response = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, options);
      return this.#tokenSet(await oauth.processRefreshTokenResponse(server, client, response), current);
    });
  }

  async #calling<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await run(AbortSignal.timeout(this.#options.timeoutMs));
    } catch (error) {
      throw upstreamFailure(this.label, error as Error);
    }
  }

  /** The metadata of the provider: configured, or discovered and cached for an hour. One discovery at a time. */
  async #server(signal: AbortSignal): Promise<oauth.AuthorizationServer> {
    const now = this.#options.now();
    if (this.#metadata === undefined || this.#metadata.until <= now) {
      this.#metadata = { server: this.#describe(signal), until: now + METADATA_MS };
      this.#metadata.server.catch(() => {
        this.#metadata = undefined;
      });
    }
    return this.#metadata.server;
  }

  async #describe(signal: AbortSignal): Promise<oauth.AuthorizationServer> {
    const { provider } = this.#options.client;
    if (isOAuth2(provider)) {
      const { issuer, authorizationEndpoint, tokenEndpoint } = provider;
      const endpoints = { authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint };
      return { issuer, ...endpoints, token_endpoint_auth_methods_supported: ["client_secret_post"] };
    }
    const issuer = new URL(provider.issuer);
    const response = await oauth.discoveryRequest(issuer, this.#request(signal));
    const found = parseAuthorizationServerMetadata(await discovered(response));
    // Compared as text, since the issuer is part of every subject: with another slash, users would become others.
    if (found.issuer !== provider.issuer) {
      const names = `its metadata names the issuer ${JSON.stringify(found.issuer)}`;
      throw this.#failure(
        "invalid",
        `${names}, and the provider has ${JSON.stringify(provider.issuer)}; write it exactly so`,
      );
    }
    const missing = (["authorization_endpoint", "token_endpoint", "jwks_uri"] as const).find(
      (field) => found[field] === undefined || !isSecureUrl(new URL(found[field])),
    );
    if (missing === undefined) return found as oauth.AuthorizationServer;
    throw this.#failure("invalid", `${missing} of its metadata must be an https URL`);
  }

  /** Reads the user from the verified ID token, and from the user info if the ID token has no name. */
  async #openIdUser(
    server: oauth.AuthorizationServer,
    answer: oauth.TokenEndpointResponse,
    signal: AbortSignal,
  ): Promise<UpstreamUser> {
    const { provider } = this.#options.client;
    // `requireIdToken` guarantees the claims.
    const idToken = oauth.getValidatedIdTokenClaims(answer) as oauth.IDToken;
    const isComplete = namesOf(idToken).name !== undefined || server.userinfo_endpoint === undefined;
    const info = isComplete ? {} : await this.#userInfo(server, answer.access_token, idToken.sub, signal);
    const claims = { ...info, ...idToken };
    const { name, issuer } = provider;
    return { provider: name, issuer, subject: subjectOf(idToken.sub), ...namesOf(claims), claims };
  }

  async #userInfo(
    server: oauth.AuthorizationServer,
    accessToken: string,
    subject: string,
    signal: AbortSignal,
  ): Promise<oauth.UserInfoResponse> {
    const client = this.#client();
    const response = await oauth.userInfoRequest(server, client, accessToken, this.#request(signal));
    return oauth.processUserInfoResponse(server, client, subject, response);
  }

  async #oauth2User(provider: OAuth2Provider, accessToken: string, signal: AbortSignal): Promise<UpstreamUser> {
    const { name, issuer, userInfoEndpoint, subjectField = "sub", nameField } = provider;
    const claims = (await this.#get(userInfoEndpoint, accessToken, signal)) as Readonly<Record<string, unknown>>;
    const lists = await Promise.all(
      [provider.emails, provider.organizations].map((list) =>
        list && this.scopes.includes(list.scope) ? this.#get(list.url, accessToken, signal) : undefined,
      ),
    );
    const [emails, organizations] = lists.map((list) => (Array.isArray(list) ? (list as unknown[]) : undefined));
    const email = emails && primaryEmail(emails);
    return {
      provider: name,
      issuer,
      subject: subjectOf(claims?.[subjectField]),
      ...namesOf(claims, nameField),
      ...(email !== undefined && { email }),
      ...(organizations && { organizations: organizationNames(organizations) }),
      claims,
    };
  }

  async #get(url: string, accessToken: string, signal: AbortSignal): Promise<unknown> {
    const headers = { accept: "application/json", authorization: `Bearer ${accessToken}`, "user-agent": "parley-mcp" };
    const response = await this.#fetch(url, { headers, redirect: "error", signal });
    if (response.status !== 200)
      throw this.#failure("invalid", `user info was answered with status ${response.status}`);
    return response.json().catch(() => {
      throw this.#failure("invalid", "user info is not JSON");
    });
  }

  /** Calls the provider. A failed call, and a response of 429 or 5xx, become a failure with the reason `away`. */
  async #guarded(input: string | URL, init: GuardedInit | undefined): Promise<Response> {
    const response = await this.#options.fetch(input, init).catch((error: Error) => {
      throw this.#failure("away", error.message);
    });
    const { status } = response;
    if (status >= 500 || status === 429) throw this.#failure("away", `answered with status ${status}`);
    return honestStatus(response);
  }

  #tokenSet(
    answer: oauth.TokenEndpointResponse,
    current: Pick<UpstreamTokenSet, "refreshToken" | "scopes">,
  ): UpstreamTokenSet {
    const { access_token: accessToken, refresh_token = current.refreshToken, expires_in, scope } = answer;
    return {
      accessToken,
      ...(refresh_token !== undefined && { refreshToken: refresh_token }),
      // GitHub separates scopes with commas.
      scopes: scope === undefined ? current.scopes : unionScopes(scope.split(/[ ,]/).filter((each) => each !== "")),
      ...(expires_in !== undefined && { expiresAt: this.#options.now() + expires_in * 1_000 }),
    };
  }

  #client(): oauth.Client {
    const { client, now } = this.#options;
    return {
      client_id: client.clientId,
      [oauth.clockSkew]: Math.round((now() - Date.now()) / 1_000),
      [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
    };
  }

  #authentication({ token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer): oauth.ClientAuth {
    const { clientSecret } = this.#options.client;
    if (clientSecret === undefined) return oauth.None();
    const isBasic = methods === undefined || methods.includes("client_secret_basic");
    return isBasic ? basicAuthentication(clientSecret) : oauth.ClientSecretPost(clientSecret);
  }

  #request(signal: AbortSignal) {
    return {
      signal,
      // The guarded fetch refuses http beyond loopback hosts.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: this.#fetch,
    };
  }

  #failure(reason: "away" | "invalid", problem: string): UpstreamFailure {
    return new UpstreamFailure(reason, `${this.label}: ${problem}`);
  }
}

/** Reads the metadata. Returns an empty object, which the parser refuses, for a body that is no JSON. */
async function discovered(response: Response): Promise<unknown> {
  if (response.status !== 200)
    throw new Error(`its metadata was answered with status ${response.status}; check issuer`);
  return response.json().catch(() => ({}));
}

/** Corrects the status of GitHub's token endpoint, which sends errors with status 200 and `error` as the first member. */
async function honestStatus(response: Response): Promise<Response> {
  if (response.status !== 200) return response;
  const text = await response.text();
  const isError = /^\s*\{\s*"error"\s*:\s*"/.test(text);
  return new Response(text, { status: isError ? 400 : 200, headers: response.headers });
}
