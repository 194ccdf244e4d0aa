/** Builds an authorization server: endpoints by path over one store. Hosts mount `handle` beside their own routes. */

import { checkLifetime, checkMethods, checkRate, checkText } from "../../errors/option-checks.js";
import { checkKind, checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { RateLimit } from "../../runtime/token-bucket.js";
import type { Fetch } from "../../transport/http/fetch-http.js";
import { DpopNonces } from "../grammar/dpop-nonces.js";
import { DpopProofVerifier } from "../grammar/dpop-proof.js";
import { type AllowPrivate, checkAllowPrivate, guardedFetch } from "../grammar/guarded-fetch.js";
import { isLoopbackHost, isSecureUrl } from "../grammar/loopback.js";
import type { AuthorizationServerMetadata } from "../grammar/metadata.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { authorizationServerMetadataUrls } from "../grammar/well-known.js";
import { AccessTokens, type VerifiedAccessToken } from "./access-tokens.js";
import { AddressRates } from "./address-rates.js";
import { Assertions } from "./assertions.js";
import { AuthorizationEndpoint } from "./authorization-endpoint.js";
import type { AuthorizationStore } from "./authorization-store.js";
import { BrowserCookies } from "./browser-cookies.js";
import { ClientAuthentication } from "./client-authentication.js";
import { ClientDirectory } from "./client-directory.js";
import type { ConfiguredClient } from "./client-record.js";
import { errorResponse, jsonResponse } from "./endpoint-response.js";
import { type EndpointRoute, serveRoute } from "./endpoint-route.js";
import { Grants } from "./grants.js";
import { IdentityAssertionGrant, type TrustedIssuer } from "./identity-assertion-grant.js";
import { InMemoryAuthorizationStore } from "./in-memory-authorization-store.js";
import type { LoggedInUser, LoginProvider } from "./login-provider.js";
import { PasswordLogin, type PasswordUser } from "./password-login.js";
import { RegistrationEndpoint } from "./registration-endpoint.js";
import { RemoteDocuments } from "./remote-documents.js";
import { ResourceDirectory, type ServedResource } from "./resource-directory.js";
import { Revocations } from "./revocations.js";
import { type EndpointUrls, endpointUrls, serverMetadata } from "./server-metadata.js";
import { KEY_SET_CACHE_MS, SigningKeys } from "./signing-keys.js";
import { TokenEndpoint } from "./token-endpoint.js";
import { TokenStatusEndpoints } from "./token-status-endpoints.js";
import { GrantUpstreams } from "./upstream/grant-upstreams.js";

/** Options of `authorizationServer`. */
export interface AuthorizationServerOptions {
  /** The URL that identifies the server: https, or http on a loopback host. Endpoints are below its path. */
  readonly issuer: string;
  /** The resources that tokens are for: URLs of MCP endpoints, with their scopes. */
  readonly resources: readonly (string | ServedResource)[];
  /** Store of the server's state. @defaultValue a `InMemoryAuthorizationStore`, which a restart empties */
  readonly store?: AuthorizationStore | undefined;
  /** Users with passwords. Give these, or `login`, or `autoApprove`. @defaultValue none */
  readonly users?: readonly PasswordUser[] | undefined;
  /** Another way to log in. @defaultValue none */
  readonly login?: LoginProvider | undefined;
  /**
   * Approves every request as this user without showing a page. For tests: the issuer and the redirect URIs must be on loopback
   * hosts.
   * @defaultValue none
   */
  readonly autoApprove?: LoggedInUser | undefined;
  /** Clients that are known beforehand. @defaultValue none */
  readonly clients?: readonly ConfiguredClient[] | undefined;
  /** Whether clients may register themselves (RFC 7591). @defaultValue true */
  readonly registration?: boolean | undefined;
  /** Whether a client id may be the URL of a metadata document. @defaultValue true */
  readonly clientDocuments?: boolean | undefined;
  /** Identity providers whose assertions (ID-JAG) are exchanged for tokens. @defaultValue none */
  readonly trustedIssuers?: readonly TrustedIssuer[] | undefined;
  /** How long an access token is valid. @defaultValue 600_000 */
  readonly accessTokenMs?: number | undefined;
  /** How long an unused refresh token is valid. @defaultValue 1_209_600_000 */
  readonly refreshIdleMs?: number | undefined;
  /** How long a grant lasts. Refreshes do not extend it. @defaultValue 7_776_000_000 */
  readonly grantMs?: number | undefined;
  /** How long a browser stays logged in. @defaultValue 3_600_000 */
  readonly sessionMs?: number | undefined;
  /**
   * How long a key signs before the next one takes over, ten minutes at least. The next one is published ten minutes before.
   * @defaultValue 2_592_000_000
   */
  readonly keyMs?: number | undefined;
  /** Requests per address. @defaultValue 10 per second after a burst of 100 */
  readonly rate?: RateLimit | undefined;
  /** Registrations per address. @defaultValue 0.1 per second after a burst of 20 */
  readonly registrationRate?: RateLimit | undefined;
  /** Logins begun per address. @defaultValue 1 per second after a burst of 30 */
  readonly loginRate?: RateLimit | undefined;
  /**
   * Hosts of client metadata documents and key sets that may have a private address, as in a company network. `true` allows all
   * hosts, which lets strangers choose addresses in your network.
   * @defaultValue none; those of `trustedIssuers` may have one
   */
  readonly allowPrivate?: AllowPrivate | undefined;
  /** Makes requests for client metadata documents and key sets. @defaultValue the platform's HTTP client */
  readonly fetch?: Fetch | undefined;
  /** Called with failures whose details callers do not get. @defaultValue `console.error` */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The clock, in milliseconds since 1970. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

/** An authorization server: `handle` for hosts, and `verifyAccessToken` for a protected resource in the same process. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /**
   * Serves a request to one of the server's paths; returns undefined for any other path. Pass it to `routes` of a host. Without
   * an address, all callers share one rate limit.
   */
  handle(request: Request, caller?: { readonly address?: string | undefined }): Promise<Response | undefined>;
  /**
   * Verifies an access token of this server and returns its contents. It asks the store, so it refuses revoked tokens. A
   * `protectedResource` asks again after its `cacheMs`.
   * @throws {OAuthError} `invalid_token` for a token of another issuer, or one that has expired or was revoked
   */
  verifyAccessToken(token: string): Promise<VerifiedAccessToken>;
  /**
   * Ends every login of a user: logs browsers out, and refuses the tokens of all clients for this subject. The user can log in
   * again unless `users` or `login` refuses.
   */
  revokeSubject(subject: string): Promise<void>;
  /** Ends every login through a client, refuses its tokens and deletes its registration. Clients in `clients` stay known. */
  revokeClient(clientId: string): Promise<void>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const CODE_MS = MINUTE_MS;
const TRANSACTION_MS = 10 * MINUTE_MS;
const CONSENT_MS = 180 * DAY_MS;
/** How long an unapproved registration is kept. Clients register right before a user logs in. */
const UNUSED_CLIENT_MS = 60 * MINUTE_MS;
const USED_CLIENT_MS = 180 * DAY_MS;
const SECRET_MS = 180 * DAY_MS;
const MAX_DOCUMENT_BYTES = 65_536;
/** Timeout of a fetch. At the rate of one address, its hanging fetches leave some of the concurrent ones to other addresses. */
const DOCUMENT_MS = 5_000;
const DEFAULT_RATE: RateLimit = { perSecond: 10, burst: 100 };
// Stores hold 10,000 registrations and as many logins in progress. One address may fill less than a tenth of each.
const DEFAULT_REGISTRATION_RATE: RateLimit = { perSecond: 0.1, burst: 20 };
const DEFAULT_LOGIN_RATE: RateLimit = { perSecond: 1, burst: 30 };
const OPTIONS: OptionTable<AuthorizationServerOptions> = {
  ...{ issuer: true, resources: "list", store: "object", users: "list", login: true, autoApprove: true },
  ...{ clients: "list", registration: "boolean", clientDocuments: "boolean", trustedIssuers: "list" },
  ...{ accessTokenMs: true, refreshIdleMs: true, grantMs: true, sessionMs: true, keyMs: true },
  ...{ rate: "object", registrationRate: "object", loginRate: "object", fetch: "function" },
  ...{ allowPrivate: true, onError: "function", now: "function" },
};
const CACHEABLE = { "cache-control": `public, max-age=${KEY_SET_CACHE_MS / 1_000}` };

/**
 * Makes an authorization server for development, tests and small deployments.
 *
 * @throws {SdkError} `invalid-argument` for an issuer that is neither https nor loopback, and for other options that cannot work
 * @example
 * const login = authorizationServer({
 *   issuer: "http://127.0.0.1:3000",
 *   resources: [{ resource: "http://127.0.0.1:3000/mcp", scopes: ["notes:read", "notes:write"] }],
 *   users: [{ subject: "alice", passwordHash: await hashPassword("correct horse battery staple") }],
 * });
 */
export function authorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  checkOptions("authorizationServer", options, OPTIONS);
  const { now = Date.now, store = new InMemoryAuthorizationStore({ now }), onError = console.error, fetch } = options;
  checkMethods("store", store, "an AuthorizationStore", ["get", "update"]);
  const issuerUrl = checkedIssuer(options.issuer);
  const { issuer } = options;
  const login = loginOf(options, issuerUrl, now);
  const { accessTokenMs = 10 * MINUTE_MS, keyMs = 30 * DAY_MS, sessionMs = 60 * MINUTE_MS } = options;
  const { grantMs = 90 * DAY_MS, refreshIdleMs = 14 * DAY_MS } = options;
  // `expires_in` has whole seconds.
  checkLifetime("accessTokenMs", accessTokenMs, 1_000);
  for (const [name, ms] of Object.entries({ keyMs, sessionMs, grantMs, refreshIdleMs })) checkLifetime(name, ms);
  const { rate = DEFAULT_RATE, registrationRate = DEFAULT_REGISTRATION_RATE, loginRate = DEFAULT_LOGIN_RATE } = options;
  for (const [name, each] of Object.entries({ rate, registrationRate, loginRate })) checkRate(name, each);
  checkAllowPrivate(options.allowPrivate);
  const urls = endpointUrls(issuerUrl);
  const resources = new ResourceDirectory(options.resources);
  const documents = new RemoteDocuments({
    fetch: guardedFetch({
      ...{ fetch, maxBytes: MAX_DOCUMENT_BYTES, timeoutMs: DOCUMENT_MS, allowPrivate: options.allowPrivate },
    }),
    now,
  });
  // The author chose these hosts, so they may lie in a private network.
  const trusted = new RemoteDocuments({ fetch: guardedFetch({ fetch, allowPrivate: true }), now });
  const clients = new ClientDirectory({
    configured: options.clients ?? [],
    hasDocuments: options.clientDocuments ?? true,
    store,
    documents,
    now,
    usedClientMs: USED_CLIENT_MS,
  });
  const keys = new SigningKeys({ store, now, signsMs: keyMs, tokenMs: accessTokenMs });
  const revocations = new Revocations({ store, now, keepMs: Math.max(grantMs, sessionMs, accessTokenMs, CONSENT_MS) });
  const grants = new Grants({ store, revocations, now, codeMs: CODE_MS, grantMs, refreshIdleMs });
  const upstreams = new GrantUpstreams({ store, login, onError });
  const tokens = new AccessTokens({ issuer, keys, grants, upstreams, revocations, store, now, tokenMs: accessTokenMs });
  const assertions = new Assertions({ store, documents, now });
  const identity = new IdentityAssertionGrant(
    issuer,
    options.trustedIssuers ?? [],
    new Assertions({ store, documents: trusted, now }),
  );
  const authentication = new ClientAuthentication({ clients, assertions, audiences: [issuer, urls.token], now });
  const metadata = serverMetadata(issuer, urls, {
    scopes: resources.scopes,
    hasRegistration: options.registration ?? true,
    hasDocuments: options.clientDocuments ?? true,
    hasIdentityAssertions: identity.isOffered,
  });
  const nonces = new DpopNonces({ now, secret: () => keys.derive("dpop-nonce") });
  const routes = routesOf(urls, metadata, new AddressRates(rate, now), {
    keys,
    nonces,
    callbacks: login.callbacks ?? [],
    browser: new AuthorizationEndpoint({
      ...{ issuer, urls, store, clients, resources, grants, revocations, now, onError, sessionMs },
      cookies: new BrowserCookies(issuerUrl),
      login,
      autoApprove: options.autoApprove,
      transactionMs: TRANSACTION_MS,
      consentMs: CONSENT_MS,
    }),
    token: new TokenEndpoint({
      ...{ url: urls.token, authentication, grants, upstreams, tokens, resources, assertions: identity },
      // With `autoApprove` there is no login, so `isStillValid` of `login` does not know the user.
      login: options.autoApprove ? {} : login,
      proofs: new DpopProofVerifier({ now, nonces }),
    }),
    status: new TokenStatusEndpoints({ issuer, authentication, grants, tokens }),
    register: new RegistrationEndpoint({ store, now, unusedClientMs: UNUSED_CLIENT_MS, secretMs: SECRET_MS }),
    registrationRates: new AddressRates(registrationRate, now),
    loginRates: new AddressRates(loginRate, now),
  });
  return {
    issuer,
    metadata,
    handle: async (request, caller) => {
      const route = routes.get(new URL(request.url).pathname);
      return route && serveRoute(route, request, caller?.address, onError);
    },
    verifyAccessToken: (token) => tokens.verify(token),
    revokeSubject: (subject) => revocations.revoke("subject", subject),
    revokeClient: async (clientId) => {
      await revocations.revoke("client", clientId);
      await clients.forget(clientId);
    },
  };
}

interface Endpoints {
  readonly keys: SigningKeys;
  readonly nonces: DpopNonces;
  readonly browser: AuthorizationEndpoint;
  readonly callbacks: readonly string[];
  readonly token: TokenEndpoint;
  readonly status: TokenStatusEndpoints;
  readonly register: RegistrationEndpoint;
  readonly registrationRates: AddressRates;
  readonly loginRates: AddressRates;
}

/** Maps paths to routes. Host and scheme are not compared, since they may be those of a proxy. */
function routesOf(
  urls: EndpointUrls,
  metadata: AuthorizationServerMetadata,
  rates: AddressRates,
  { keys, nonces, browser, callbacks, token, status, register, registrationRates, loginRates }: Endpoints,
): ReadonlyMap<string, EndpointRoute> {
  const clients = { audience: "clients", rates } as const;
  const browsers = { audience: "browsers", rates } as const;
  const metadataRoute: EndpointRoute = {
    ...clients,
    method: "GET",
    handle: async () => jsonResponse(200, metadata, CACHEABLE),
  };
  const routes: [string, EndpointRoute][] = [
    ...authorizationServerMetadataUrls(new URL(metadata.issuer)).map(
      (url) => [url.href, metadataRoute] as [string, EndpointRoute],
    ),
    [
      urls.jwks,
      { ...clients, method: "GET", handle: async () => jsonResponse(200, await keys.published(), CACHEABLE) },
    ],
    [
      urls.authorize,
      {
        ...browsers,
        rates: loginRates,
        method: "GET",
        handle: (request, address) => browser.authorize(request, address),
      },
    ],
    [urls.login, { ...browsers, method: "POST", handle: (request, address) => browser.login(request, address) }],
    ...[urls.callback, ...callbacks.map((name) => `${urls.callback}/${name}`)].map((url): [string, EndpointRoute] => [
      url,
      { ...browsers, method: "GET", handle: (request, address) => browser.callback(request, address) },
    ]),
    [urls.consent, { ...browsers, method: "POST", handle: (request) => browser.consent(request) }],
    [
      urls.token,
      { ...clients, method: "POST", handle: (request, address) => tokenResponse(token, nonces, request, address) },
    ],
    [
      urls.revoke,
      {
        ...clients,
        method: "POST",
        handle: async (request, address) => jsonResponse(200, await status.revoke(request, address)),
      },
    ],
    [
      urls.introspect,
      {
        ...clients,
        method: "POST",
        handle: async (request, address) => jsonResponse(200, await status.introspect(request, address)),
      },
    ],
  ];
  if (metadata.registration_endpoint !== undefined) {
    const handle: EndpointRoute["handle"] = async (request, address) =>
      jsonResponse(201, await register.handle(request, address));
    routes.push([urls.register, { ...clients, rates: registrationRates, method: "POST", handle }]);
  }
  return new Map(routes.map(([url, route]) => [new URL(url).pathname, route]));
}

/** A client that uses DPoP gets the next nonce with every token response, and with the error `use_dpop_nonce`. */
async function tokenResponse(
  endpoint: TokenEndpoint,
  nonces: DpopNonces,
  request: Request,
  address: string | undefined,
): Promise<Response> {
  const headers = request.headers.has("dpop") ? { "dpop-nonce": await nonces.current() } : {};
  try {
    return jsonResponse(200, await endpoint.handle(request, address), headers);
  } catch (error) {
    if (error instanceof OAuthError && error.code === "use_dpop_nonce") return errorResponse(error, headers);
    throw error;
  }
}

function checkedIssuer(issuer: string): URL {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (!url || !isSecureUrl(url) || url.search !== "" || url.hash !== "" || url.username !== "") {
    const advice = "issuer must be an https URL, or an http URL on a loopback host, without query and fragment";
    throw new SdkError("invalid-argument", advice);
  }
  return url;
}

function loginOf(
  { users, login, autoApprove }: AuthorizationServerOptions,
  issuer: URL,
  now: () => number,
): LoginProvider {
  if ([users, login, autoApprove].filter((each) => each !== undefined).length !== 1) {
    throw new SdkError("invalid-argument", "give one of users, login and autoApprove");
  }
  if (autoApprove !== undefined) {
    checkKind("autoApprove", autoApprove, "object");
    checkText("autoApprove.subject", autoApprove.subject);
    if (!isLoopbackHost(issuer.hostname)) {
      throw new SdkError("invalid-argument", "autoApprove lets everybody in, so the issuer must be a loopback host");
    }
  }
  return login ?? new PasswordLogin(users ?? [], now);
}
