/** Parses and checks authorization requests, and defines the transaction that is stored while the user decides. */

import type { JsonObject } from "../../runtime/json.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { matchesRedirectUri } from "../grammar/redirect-uri.js";
import type { ClientRecord } from "./client-record.js";
import { uniqueParameters } from "./form-body.js";
import type { LoggedInUser } from "./login-provider.js";
import { grantedScopes, type ResourceDirectory } from "./resource-directory.js";

/** The fields of its client that a transaction keeps. Whole client records are large and would evict other transactions. */
export type RequestingClient = Pick<ClientRecord, "clientId" | "name" | "origin">;

/** A checked authorization request. */
export interface AuthorizationRequest {
  readonly client: RequestingClient;
  readonly redirectUri: string;
  readonly state?: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly challenge: string;
  readonly prompts: readonly string[];
  readonly loginHint?: string;
  /** The thumbprint of the DPoP key that the code will be bound to. */
  readonly thumbprint?: string;
}

/** An authorization request that waits for its user, as the store keeps it. */
export interface AuthorizationTransaction {
  readonly request: AuthorizationRequest;
  /** The digest of the cookie of the browser that began the transaction. */
  readonly browser: string;
  /** The object that the login provider asked to remember. */
  readonly remembered?: JsonObject;
  /** The user, once logged in. The transaction then waits for consent. */
  readonly user?: SessionUser;
}

/** A user with the time of the login. */
export type SessionUser = LoggedInUser & { readonly loggedInAt: number };

/** The redirect URI and the state for the response to an authorization request. */
export interface ReturnAddress {
  readonly redirectUri: string;
  readonly state?: string;
}

/** SHA-256 as Base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const THUMBPRINT = CHALLENGE;
const PROMPTS: readonly string[] = ["none", "login", "consent"];
const MAX_STATE_CHARS = 2_048;
const MAX_HINT_CHARS = 256;

/**
 * The redirect URI of a request, if it is registered.
 * @throws {OAuthError} `invalid_request`, to show on a page and not to redirect
 */
export function returnAddress(parameters: URLSearchParams, client: ClientRecord): ReturnAddress {
  const { redirectUris } = client;
  const given = parameters.get("redirect_uri") ?? (redirectUris.length === 1 ? redirectUris[0] : undefined);
  if (given === undefined) throw invalidRequest("redirect_uri is missing");
  if (parameters.getAll("redirect_uri").length > 1) throw invalidRequest("redirect_uri is repeated");
  if (!redirectUris.some((registered) => matchesRedirectUri(registered, given))) {
    throw invalidRequest("redirect_uri is not registered for this client");
  }
  const state = parameters.get("state");
  return { redirectUri: given, ...(state !== null && { state }) };
}

/** @throws {OAuthError} to redirect to the client */
export function parseAuthorizationRequest(
  query: URLSearchParams,
  client: ClientRecord,
  address: ReturnAddress,
  resources: ResourceDirectory,
): AuthorizationRequest {
  const parameters = uniqueParameters(query);
  const get = (name: string) => parameters.get(name);
  if (get("request") !== null) throw new OAuthError("request_not_supported", "send plain parameters");
  if (get("request_uri") !== null) throw new OAuthError("request_uri_not_supported", "send plain parameters");
  const responseType = get("response_type");
  if (responseType === null) throw invalidRequest("response_type is missing");
  if (responseType !== "code") throw new OAuthError("unsupported_response_type", "response_type must be code");
  if ((get("response_mode") ?? "query") !== "query") throw invalidRequest("response_mode must be query");
  if (!client.grantTypes.includes("authorization_code")) {
    throw new OAuthError("unauthorized_client", "the client is not registered for authorization_code");
  }
  const challenge = get("code_challenge");
  if (challenge === null) throw invalidRequest("code_challenge is missing: PKCE is required");
  if (get("code_challenge_method") !== "S256") throw invalidRequest("code_challenge_method must be S256");
  if (!CHALLENGE.test(challenge)) throw invalidRequest("code_challenge must be a SHA-256 digest in Base64url");
  if ((address.state?.length ?? 0) > MAX_STATE_CHARS) {
    throw invalidRequest(`state is longer than ${MAX_STATE_CHARS} characters`);
  }
  const [loginHint, thumbprint] = [get("login_hint"), get("dpop_jkt")];
  if (thumbprint !== null && !THUMBPRINT.test(thumbprint)) {
    throw invalidRequest("dpop_jkt must be a SHA-256 thumbprint in Base64url");
  }
  const served = resources.find(get("resource"));
  const { clientId, name, origin } = client;
  return {
    client: { clientId, name, origin },
    ...address,
    resource: served.resource,
    scopes: grantedScopes(get("scope"), served, client),
    challenge,
    prompts: PROMPTS.filter((prompt) => get("prompt")?.split(" ").includes(prompt)),
    ...(loginHint !== null && { loginHint: loginHint.slice(0, MAX_HINT_CHARS) }),
    ...(thumbprint !== null && { thumbprint }),
  };
}

function invalidRequest(description: string): OAuthError {
  return new OAuthError("invalid_request", description, { status: 400 });
}
