/** Sends requests to the token endpoint, the only one that gets the client's credentials and the code. */
import { allowInsecureRequests, customFetch, genericTokenEndpointRequest } from "oauth4webapi";
import { SdkError } from "../../errors/sdk-error.js";
import type { JsonObject } from "../../runtime/json.js";
import type { GuardedFetch } from "../grammar/guarded-fetch.js";
import { isSecureUrl } from "../grammar/loopback.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { clientAuthentication, type RegisteredClient } from "./client-authentication.js";
import type { DpopBinding } from "./dpop-binding.js";
import { readOAuthResponse } from "./oauth-response.js";
import type { DiscoveredServer } from "./server-discovery.js";
import { type IssuedTokens, parseTokenResponse } from "./token-response.js";

export interface TokenRequest {
  readonly server: DiscoveredServer;
  readonly client: RegisteredClient;
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly fetch: GuardedFetch;
  readonly signal?: AbortSignal | undefined;
  readonly dpop?: DpopBinding | undefined;
}

/** @throws {OAuthError} the error that the server answers. @throws {SdkError} `authorization-failed` for anything else. */
export async function requestTokens(request: TokenRequest): Promise<IssuedTokens> {
  return parseTokenResponse(await postToTokenEndpoint(request));
}

/** @throws {OAuthError} the error that the server answers. @throws {SdkError} `authorization-failed` for anything else. */
export async function postToTokenEndpoint(request: TokenRequest): Promise<JsonObject> {
  const { server, client, grantType, parameters, fetch, signal, dpop } = request;
  const endpoint = tokenEndpoint(server);
  const { token_endpoint_auth_methods_supported: methods } = server.metadata;
  const authentication = await clientAuthentication(client, methods);
  const guarded = dpop ? dpop.fetch(fetch) : fetch;
  const response = await genericTokenEndpointRequest(
    { issuer: server.issuer, token_endpoint: endpoint.href },
    { client_id: client.clientId },
    authentication,
    grantType,
    { ...parameters },
    {
      ...(signal && { signal }),
      [customFetch]: (url, init) => guarded(url, init),
      // `tokenEndpoint` has refused http beyond loopback hosts.
      [allowInsecureRequests]: endpoint.protocol === "http:",
    },
  );
  return readOAuthResponse(`POST ${endpoint.origin}${endpoint.pathname}`, response, secretsOf(request));
}

const SECRETS: readonly string[] = ["code", "code_verifier", "refresh_token", "assertion", "subject_token"];

function secretsOf({ client, parameters }: TokenRequest): readonly (string | undefined)[] {
  return [client.clientSecret, ...SECRETS.map((name) => parameters[name])];
}

function tokenEndpoint({ issuer, metadata }: DiscoveredServer): URL {
  const { token_endpoint: text } = metadata;
  if (text === undefined) throw new SdkError("authorization-failed", `${issuer} names no token_endpoint`);
  const endpoint = new URL(text);
  if (isSecureUrl(endpoint)) return endpoint;
  const message = `The token endpoint ${endpoint.origin} must use https: credentials are not sent without it`;
  throw new SdkError("authorization-failed", message);
}

/** Whether an error is an OAuthError with the code. */
export function hasCode(error: unknown, code: string): error is OAuthError {
  return error instanceof OAuthError && error.code === code;
}
