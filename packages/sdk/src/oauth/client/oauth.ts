/** The functions that make an authorization: for a user who logs in, or for a program with credentials or assertions. */

import { checkChoice, checkMethods, checkTimer } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { Fetch } from "../../transport/http/fetch-http.js";
import { type AllowPrivate, checkAllowPrivate } from "../grammar/guarded-fetch.js";
import type { ClientMetadata } from "../grammar/metadata.js";
import { redirectUriProblem } from "../grammar/redirect-uri.js";
import { AssertionGrant, type AssertionSource } from "./assertion-grant.js";
import { checkRegisteredClient, type RegisteredClient } from "./client-authentication.js";
import { ClientCredentialsGrant } from "./client-credentials-grant.js";
import { ClientRegistration, type ClientRegistrationOptions } from "./client-registration.js";
import { CodeGrant } from "./code-grant.js";
import { type CredentialStore, InMemoryCredentialStore } from "./credential-store.js";
import { exchangeIdentity, type IdentityProviderOptions } from "./identity-provider.js";
import { OAuthAuthorization } from "./oauth-authorization.js";
import type { RedirectReceiver } from "./redirect-receiver.js";
import type { GrantRequest, TokenGrant } from "./token-grant.js";

/** Options of every kind of authorization. */
export interface AuthorizationOptions {
  /** Keeps tokens, registrations and keys. @defaultValue a `InMemoryCredentialStore` */
  readonly store?: CredentialStore | undefined;
  /** Name of the user, to separate the users of one store. @defaultValue one user */
  readonly account?: string | undefined;
  /** Scopes to ask for if the server names none. @defaultValue none: the authorization server chooses */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Behavior if the token lacks scopes: `"login"` asks the user for them, `"throw"` rejects the call with an
   * `AuthorizationRequiredError`.
   * @defaultValue "login"
   */
  readonly stepUp?: "login" | "throw" | undefined;
  /**
   * Bind tokens to a key (DPoP). `"auto"` binds them if resource and authorization server support it. `true` discards tokens that the
   * authorization server has not bound.
   * @defaultValue "auto"
   */
  readonly dpop?: boolean | "auto" | undefined;
  /**
   * Hosts of authorization servers that may have a private address although the MCP server's address is public, as in a company
   * network: `["login.corp.example"]`. `true` allows all hosts, which lets the MCP server choose addresses in your network.
   * @defaultValue none; a server on a private address may name others
   */
  readonly allowPrivate?: AllowPrivate | undefined;
  /** Makes the requests to authorization servers. @defaultValue the `fetch` of the connection */
  readonly fetch?: Fetch | undefined;
  /** Clock, in milliseconds. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

/** Options of `oauth`. */
export interface OAuthOptions extends AuthorizationOptions {
  /** Shows the login and receives its response. @defaultValue none: calls that need a login reject */
  readonly redirect?: RedirectReceiver | undefined;
  /**
   * Name that users see when they log in. Stored tokens are found again only under the same name, unless `client` or
   * `clientMetadataUrl` identifies the client.
   * @defaultValue "MCP client"
   */
  readonly clientName?: string | undefined;
  /** Credentials of a client that is registered with an authorization server already. @defaultValue none */
  readonly client?: RegisteredClient | undefined;
  /**
   * URL of a client metadata document, which is the client id at authorization servers that support it.
   * @defaultValue none
   */
  readonly clientMetadataUrl?: string | undefined;
  /** Metadata for a dynamic registration. Its members replace those that the client would send. @defaultValue none */
  readonly clientMetadata?: Partial<ClientMetadata> | undefined;
  /** Ask for `offline_access`, and so for a refresh token, where the authorization server offers it. @defaultValue true */
  readonly offlineAccess?: boolean | undefined;
  /** Time for a user to log in. @defaultValue 300_000 */
  readonly loginTimeoutMs?: number | undefined;
}

/** Options of `clientCredentials`. */
export interface ClientCredentialsOptions extends AuthorizationOptions {
  /** The program's credentials: a secret, a key, or signed assertions. */
  readonly client: RegisteredClient;
}

/** Options of `enterpriseAuthorization`. */
export interface EnterpriseOptions extends AuthorizationOptions {
  /** This client at the MCP server's authorization server. Set its `issuer`, so that no other issuer is trusted. */
  readonly client: RegisteredClient;
  /** The enterprise's identity provider, or a function that gets the assertion (ID-JAG) from it. */
  readonly identityProvider: IdentityProviderOptions | AssertionSource;
}

/** Options of `workloadIdentity`. */
export interface WorkloadOptions extends AuthorizationOptions {
  /** This workload at the MCP server's authorization server. */
  readonly client: RegisteredClient;
  /** Returns the assertion that the workload's platform signed. */
  readonly assertion: AssertionSource;
}

const DEFAULT_LOGIN_TIMEOUT_MS = 300_000;

const AUTHORIZATION_OPTIONS: OptionTable<AuthorizationOptions> = {
  ...{ store: "object", account: "string", scopes: "list", stepUp: true, dpop: true, fetch: "function" },
  ...{ allowPrivate: true, now: "function" },
};
const OAUTH_OPTIONS: OptionTable<OAuthOptions> = {
  ...AUTHORIZATION_OPTIONS,
  ...{ redirect: true, clientName: "string", client: true, clientMetadataUrl: true, clientMetadata: "object" },
  ...{ offlineAccess: "boolean", loginTimeoutMs: true },
};
const CREDENTIALS_OPTIONS: OptionTable<ClientCredentialsOptions> = { ...AUTHORIZATION_OPTIONS, client: true };
const ENTERPRISE_OPTIONS: OptionTable<EnterpriseOptions> = { ...CREDENTIALS_OPTIONS, identityProvider: true };
const IDENTITY_PROVIDER_OPTIONS: OptionTable<IdentityProviderOptions> = {
  ...{ issuer: "string", tokenEndpoint: "string", client: true, subjectToken: true, subjectTokenType: "string" },
};
const WORKLOAD_OPTIONS: OptionTable<WorkloadOptions> = { ...CREDENTIALS_OPTIONS, assertion: "function" };

/**
 * Authorization by a user who logs in, with the authorization code grant and PKCE.
 * @throws {SdkError} `invalid-argument` for a redirect URI or a metadata URL that cannot be used.
 * @example
 * const redirect = await loopbackRedirect({ open: (page) => console.error(`Log in at ${page}`) });
 * const authorization = oauth({ redirect, clientName: "My program" });
 * const target = { url: "https://mcp.example.com/mcp", authorization };
 * const client = await Client.connect(target, { name: "my-program", version: "1.0.0" });
 */
export function oauth(options: OAuthOptions = {}): OAuthAuthorization {
  checkOptions("oauth", options, OAUTH_OPTIONS);
  const { redirect, client, clientName, clientMetadata, clientMetadataUrl, offlineAccess = true } = options;
  if (redirect && typeof redirect.redirectUri !== "string") {
    throw new SdkError("invalid-argument", "redirect: expected a receiver; write `await loopbackRedirect({ open })`");
  }
  const problem = redirect && redirectUriProblem(redirect.redirectUri);
  if (problem !== undefined) throw new SdkError("invalid-argument", `redirect.redirectUri: ${problem}`);
  if (client !== undefined) checkRegisteredClient("client", client);
  const clientId = client?.clientId ?? clientMetadataUrl ?? clientName;
  const registration = {
    client,
    clientName,
    clientMetadata,
    clientMetadataUrl,
    redirectUri: redirect?.redirectUri ?? "",
  };
  return authorization(options, ["code", clientId], registration, (clients) => {
    return new CodeGrant({ clients, redirect, offlineAccess });
  });
}

/**
 * Authorization of a program that acts for itself, with the client credentials grant.
 * @example
 * const clientSecret = process.env.CLIENT_SECRET;
 * const issuer = "https://login.example.com";
 * const authorization = clientCredentials({ client: { clientId: "nightly-job", clientSecret, issuer } });
 */
export function clientCredentials(options: ClientCredentialsOptions): OAuthAuthorization {
  checkOptionsWithClient("clientCredentials", options, CREDENTIALS_OPTIONS);
  const { client } = options;
  const isProven = client.clientSecret !== undefined || client.privateKey || client.assertion;
  if (!isProven) throw new SdkError("invalid-argument", "client: pass clientSecret, privateKey or assertion");
  return authorization(
    options,
    ["credentials", client.clientId],
    { client, redirectUri: "" },
    () => new ClientCredentialsGrant(client),
  );
}

/**
 * Authorization by the identity provider of the user's enterprise, without a login at the MCP server's authorization server.
 * @example
 * const authorization = enterpriseAuthorization({
 *   client: { clientId: "editor", issuer: "https://login.example.com" },
 *   identityProvider: {
 *     issuer: "https://sso.example.com",
 *     client: { clientId: "editor-sso", clientSecret: process.env.SSO_SECRET },
 *     subjectToken: () => readFile("/run/secrets/id-token", "utf8"),
 *   },
 * });
 */
export function enterpriseAuthorization(options: EnterpriseOptions): OAuthAuthorization {
  checkOptionsWithClient("enterpriseAuthorization", options, ENTERPRISE_OPTIONS);
  const { client, identityProvider } = options;
  if (typeof identityProvider === "object") {
    checkOptions("identityProvider", identityProvider, IDENTITY_PROVIDER_OPTIONS);
    checkRegisteredClient("identityProvider.client", identityProvider.client);
  }
  const source =
    typeof identityProvider === "function"
      ? (request: GrantRequest) => identityProvider(assertionRequest(request, client))
      : (request: GrantRequest) => exchangeIdentity(identityProvider, request);
  return authorization(
    options,
    ["enterprise", client.clientId],
    { client, redirectUri: "" },
    () => new AssertionGrant({ client, source }),
  );
}

/**
 * Authorization of a workload by an assertion that its platform signed.
 * @example
 * const authorization = workloadIdentity({
 *   client: { clientId: "importer", issuer: "https://login.example.com" },
 *   assertion: () => readFile("/var/run/secrets/tokens/mcp", "utf8"),
 * });
 */
export function workloadIdentity(options: WorkloadOptions): OAuthAuthorization {
  checkOptionsWithClient("workloadIdentity", options, WORKLOAD_OPTIONS);
  const { client, assertion } = options;
  const source = (request: GrantRequest) => assertion(assertionRequest(request, client));
  return authorization(
    options,
    ["workload", client.clientId],
    { client, redirectUri: "" },
    () => new AssertionGrant({ client, source }),
  );
}

/** Checks the client first, since a misplaced option mostly belongs into `client`. */
function checkOptionsWithClient<Options extends { readonly client: RegisteredClient }>(
  what: string,
  options: Options,
  table: OptionTable<Options>,
): void {
  checkRegisteredClient("client", options?.client);
  checkOptions(what, options, table);
}

function assertionRequest({ server, resource, scopes, signal }: GrantRequest, { clientId }: RegisteredClient) {
  return { audience: server.issuer, resource, scopes, clientId, signal };
}

type OwnRegistration = Omit<ClientRegistrationOptions, "store" | "identity" | "now">;

function authorization(
  options: AuthorizationOptions & { readonly loginTimeoutMs?: number | undefined },
  kind: readonly (string | undefined)[],
  registration: OwnRegistration,
  grantOf: (clients: ClientRegistration) => TokenGrant,
): OAuthAuthorization {
  const {
    store = new InMemoryCredentialStore(),
    now = Date.now,
    account,
    scopes = [],
    stepUp = "login",
    dpop = "auto",
  } = options;
  const { loginTimeoutMs = DEFAULT_LOGIN_TIMEOUT_MS, fetch, allowPrivate = false } = options;
  checkMethods("store", store, "a CredentialStore", ["get", "set", "delete", "withLock"]);
  checkTimer("loginTimeoutMs", loginTimeoutMs);
  checkChoice("stepUp", stepUp, ["login", "throw"]);
  checkChoice("dpop", dpop, [true, false, "auto"]);
  checkAllowPrivate(allowPrivate);
  const identity = JSON.stringify([...kind, account]);
  const clients = new ClientRegistration({ ...registration, store, identity, now });
  const grant = grantOf(clients);
  return new OAuthAuthorization({
    ...{ grant, clients, store, identity, fetch, allowPrivate, scopes, stepUp, dpop, loginTimeoutMs, now },
  });
}
