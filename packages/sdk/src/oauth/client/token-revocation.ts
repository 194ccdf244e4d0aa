/** Revokes tokens at their authorization server (RFC 7009) when a user logs out. */
import { allowInsecureRequests, customFetch, revocationRequest } from "oauth4webapi";
import { SdkError } from "../../errors/sdk-error.js";
import type { GuardedFetch } from "../grammar/guarded-fetch.js";
import { clientAuthentication, type RegisteredClient } from "./client-authentication.js";
import { readOAuthResponse } from "./oauth-response.js";
import type { DiscoveredServer } from "./server-discovery.js";
import type { TokenRecord } from "./token-record.js";

export interface RevocationRequest {
  readonly server: DiscoveredServer;
  readonly client: RegisteredClient | undefined;
  readonly fetch: GuardedFetch;
}

/** Timeout of the revocation, which the user waits for. */
const REVOCATION_MS = 10_000;

/**
 * Revokes the refresh token, since it can issue more tokens, and then the access token.
 * @throws {OAuthError} the error that the server answers. @throws {SdkError} `authorization-failed` for anything else.
 */
export async function revokeTokens(record: TokenRecord, request: RevocationRequest): Promise<void> {
  const { accessToken, refreshToken, clientId } = record;
  const { server, client, fetch } = request;
  const { revocation_endpoint: endpoint, revocation_endpoint_auth_methods_supported: methods } = server.metadata;
  if (endpoint === undefined) throw failed(`${server.issuer} names no revocation_endpoint`);
  if (client?.clientId !== clientId) throw failed(`the registration of the client ${clientId} is gone`);
  const authentication = await clientAuthentication(client, methods);
  const signal = AbortSignal.timeout(REVOCATION_MS);
  for (const [hint, token] of Object.entries({ refresh_token: refreshToken, access_token: accessToken })) {
    if (token === undefined) continue;
    const response = await revocationRequest(
      { issuer: server.issuer, revocation_endpoint: endpoint },
      { client_id: clientId },
      authentication,
      token,
      {
        additionalParameters: { token_type_hint: hint },
        signal,
        [customFetch]: (url, init) => fetch(url, init),
        // The guarded fetch refuses http beyond loopback hosts.
        [allowInsecureRequests]: true,
      },
    );
    if (response.status !== 200) await readOAuthResponse(`POST ${endpoint}`, response, [token, client.clientSecret]);
  }
}

function failed(message: string): SdkError {
  return new SdkError("authorization-failed", message);
}
