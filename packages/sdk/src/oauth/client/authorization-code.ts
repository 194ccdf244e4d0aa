/** Requests an authorization code with PKCE: sends the user to the authorization server and checks the authorization response. */
import {
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from "oauth4webapi";
import { SdkError } from "../../errors/sdk-error.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { joinScopes } from "../grammar/scope.js";
import { printable } from "./oauth-response.js";
import type { RedirectReceiver } from "./redirect-receiver.js";
import { needsConsent } from "./scope-selection.js";
import type { DiscoveredServer } from "./server-discovery.js";

export interface CodeRequest {
  readonly server: DiscoveredServer;
  readonly clientId: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly redirect: RedirectReceiver;
  readonly signal: AbortSignal;
}

/** A code, and the parameters of the token request that redeems it. */
export interface AuthorizationCode {
  readonly code: string;
  readonly code_verifier: string;
  readonly redirect_uri: string;
}

/**
 * Requests a code of a server that `checkPkce` has accepted.
 * @throws {SdkError} `authorization-failed`; its cause is the `OAuthError` that the authorization server answered with.
 */
export async function requestCode(request: CodeRequest): Promise<AuthorizationCode> {
  const { redirect, signal } = request;
  const verifier = generateRandomCodeVerifier();
  const state = generateRandomState();
  const url = authorizationUrl(request, state, await calculatePKCECodeChallenge(verifier));
  const response = await untilAborted(redirect.receive(url, state, signal), signal);
  return { code: codeIn(response, request, state), code_verifier: verifier, redirect_uri: redirect.redirectUri };
}

/** A server that publishes metadata must advertise S256. A server without metadata cannot, so it is not checked. */
export function checkPkce({ issuer, metadata, isDescribed }: DiscoveredServer): void {
  if (!isDescribed || metadata.code_challenge_methods_supported?.includes("S256") === true) return;
  throw new SdkError(
    "authorization-failed",
    `${issuer} does not advertise PKCE with S256 in code_challenge_methods_supported, so logging in there is not safe`,
  );
}

function authorizationUrl(request: CodeRequest, state: string, challenge: string): URL {
  const { server, clientId, resource, scopes, redirect } = request;
  const endpoint = server.metadata.authorization_endpoint;
  if (endpoint === undefined) {
    throw new SdkError("authorization-failed", `${server.issuer} has no authorization_endpoint, so nobody can log in`);
  }
  const url = new URL(endpoint);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirect.redirectUri,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state,
    resource,
    ...(scopes.length > 0 && { scope: joinScopes(scopes) }),
    ...(needsConsent(scopes) && { prompt: "consent" }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** Checks `iss` and `state` before it reads anything else of the response, including the error. */
function codeIn(response: URLSearchParams, { server, clientId }: CodeRequest, state: string): string {
  const { issuer, metadata } = server;
  const expected = {
    issuer,
    authorization_response_iss_parameter_supported: metadata.authorization_response_iss_parameter_supported === true,
  };
  try {
    const code = validateAuthResponse(expected, { client_id: clientId }, response, state).get("code");
    if (code !== null && code !== "") return code;
  } catch (error) {
    if (error instanceof AuthorizationResponseError) throw denied(issuer, error);
    // No `cause`: the library's errors hold the response, and with it the code.
    const { message } = error as Error;
    throw new SdkError("authorization-failed", `The authorization response was not accepted: ${message}`);
  }
  throw new SdkError("authorization-failed", "The authorization response has no code");
}

function denied(issuer: string, { error, error_description }: AuthorizationResponseError): SdkError {
  const description = error_description === undefined ? undefined : printable(error_description);
  const cause = new OAuthError(printable(error), description);
  return new SdkError("authorization-failed", `${issuer} did not authorize this client: ${cause.message}`, { cause });
}

/** Rejects when the signal aborts, even if the receiver ignores the signal. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
