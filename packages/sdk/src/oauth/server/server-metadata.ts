/** The metadata of the authorization server (RFC 8414), with the required members of OpenID Connect Discovery. */
import type { AuthorizationServerMetadata } from "../grammar/metadata.js";
import { ASSERTION_ALGORITHMS } from "./assertions.js";
import { CLIENT_AUTH_METHODS } from "./client-record.js";
import { ID_JAG_PROFILE, JWT_BEARER } from "./identity-assertion-grant.js";
import { SIGNING_ALGORITHM } from "./signing-keys.js";

/** The URLs of the endpoints. */
export interface EndpointUrls {
  readonly authorize: string;
  readonly login: string;
  readonly callback: string;
  readonly consent: string;
  readonly token: string;
  readonly register: string;
  readonly revoke: string;
  readonly introspect: string;
  readonly jwks: string;
}

/** The URLs of the endpoints, below the path of the issuer. */
export function endpointUrls(issuer: URL): EndpointUrls {
  const base = issuer.href.replace(/\/$/, "");
  return {
    authorize: `${base}/authorize`,
    login: `${base}/login`,
    callback: `${base}/login/callback`,
    consent: `${base}/consent`,
    token: `${base}/token`,
    register: `${base}/register`,
    revoke: `${base}/revoke`,
    introspect: `${base}/introspect`,
    jwks: `${base}/jwks`,
  };
}

export interface OfferedFeatures {
  readonly scopes: readonly string[];
  readonly hasRegistration: boolean;
  readonly hasDocuments: boolean;
  readonly hasIdentityAssertions: boolean;
}

export function serverMetadata(
  issuer: string,
  urls: EndpointUrls,
  offered: OfferedFeatures,
): AuthorizationServerMetadata {
  const confidential = CLIENT_AUTH_METHODS.filter((method) => method !== "none");
  return {
    issuer,
    authorization_endpoint: urls.authorize,
    token_endpoint: urls.token,
    revocation_endpoint: urls.revoke,
    introspection_endpoint: urls.introspect,
    jwks_uri: urls.jwks,
    ...(offered.hasRegistration && { registration_endpoint: urls.register }),
    ...(offered.scopes.length > 0 && { scopes_supported: offered.scopes }),
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: [
      "authorization_code",
      "refresh_token",
      "client_credentials",
      ...(offered.hasIdentityAssertions ? [JWT_BEARER] : []),
    ],
    ...(offered.hasIdentityAssertions && { authorization_grant_profiles_supported: [ID_JAG_PROFILE] }),
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
    introspection_endpoint_auth_methods_supported: confidential,
    dpop_signing_alg_values_supported: ["ES256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: offered.hasDocuments,
    // Clients of OpenID Connect Discovery require these two members. The server issues no ID tokens.
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [SIGNING_ALGORITHM],
  };
}
