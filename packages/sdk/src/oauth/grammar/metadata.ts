/** Parses the metadata documents of OAuth: of a protected resource, of an authorization server, and of a client. */

import { SdkError } from "../../errors/sdk-error.js";
import { type FieldKind, readFields } from "./metadata-fields.js";
import { OAuthError } from "./oauth-error.js";
import { redirectUriProblem } from "./redirect-uri.js";

/** How a client authenticates at the token endpoint, by the names of RFC 7591. */
export type ClientAuthMethod = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

/** Metadata of a protected resource (RFC 9728). */
export interface ProtectedResourceMetadata {
  readonly resource: string;
  readonly authorization_servers?: readonly string[];
  readonly jwks_uri?: string;
  readonly scopes_supported?: readonly string[];
  readonly bearer_methods_supported?: readonly string[];
  readonly resource_name?: string;
  readonly resource_documentation?: string;
  readonly resource_policy_uri?: string;
  readonly resource_tos_uri?: string;
  readonly resource_signing_alg_values_supported?: readonly string[];
  readonly dpop_signing_alg_values_supported?: readonly string[];
  readonly dpop_bound_access_tokens_required?: boolean;
}

const RESOURCE_FIELDS: Readonly<Record<keyof ProtectedResourceMetadata, FieldKind>> = {
  resource: "string",
  authorization_servers: "endpoints",
  jwks_uri: "endpoint",
  scopes_supported: "strings",
  bearer_methods_supported: "strings",
  resource_name: "string",
  resource_documentation: "link",
  resource_policy_uri: "link",
  resource_tos_uri: "link",
  resource_signing_alg_values_supported: "strings",
  dpop_signing_alg_values_supported: "strings",
  dpop_bound_access_tokens_required: "boolean",
};

/** Metadata of an authorization server (RFC 8414, OpenID Connect Discovery and their extensions). */
export interface AuthorizationServerMetadata {
  readonly issuer: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint?: string;
  readonly registration_endpoint?: string;
  readonly revocation_endpoint?: string;
  readonly introspection_endpoint?: string;
  readonly pushed_authorization_request_endpoint?: string;
  readonly device_authorization_endpoint?: string;
  readonly userinfo_endpoint?: string;
  readonly jwks_uri?: string;
  readonly scopes_supported?: readonly string[];
  readonly response_types_supported?: readonly string[];
  readonly response_modes_supported?: readonly string[];
  readonly grant_types_supported?: readonly string[];
  readonly subject_types_supported?: readonly string[];
  readonly id_token_signing_alg_values_supported?: readonly string[];
  readonly token_endpoint_auth_methods_supported?: readonly string[];
  readonly token_endpoint_auth_signing_alg_values_supported?: readonly string[];
  readonly revocation_endpoint_auth_methods_supported?: readonly string[];
  readonly introspection_endpoint_auth_methods_supported?: readonly string[];
  readonly code_challenge_methods_supported?: readonly string[];
  readonly dpop_signing_alg_values_supported?: readonly string[];
  readonly authorization_grant_profiles_supported?: readonly string[];
  readonly authorization_response_iss_parameter_supported?: boolean;
  readonly client_id_metadata_document_supported?: boolean;
  readonly require_pushed_authorization_requests?: boolean;
  readonly service_documentation?: string;
  readonly op_policy_uri?: string;
  readonly op_tos_uri?: string;
}

const SERVER_FIELDS: Readonly<Record<keyof AuthorizationServerMetadata, FieldKind>> = {
  issuer: "endpoint",
  authorization_endpoint: "endpoint",
  token_endpoint: "endpoint",
  registration_endpoint: "endpoint",
  revocation_endpoint: "endpoint",
  introspection_endpoint: "endpoint",
  pushed_authorization_request_endpoint: "endpoint",
  device_authorization_endpoint: "endpoint",
  userinfo_endpoint: "endpoint",
  jwks_uri: "endpoint",
  scopes_supported: "strings",
  response_types_supported: "strings",
  response_modes_supported: "strings",
  grant_types_supported: "strings",
  subject_types_supported: "strings",
  id_token_signing_alg_values_supported: "strings",
  token_endpoint_auth_methods_supported: "strings",
  token_endpoint_auth_signing_alg_values_supported: "strings",
  revocation_endpoint_auth_methods_supported: "strings",
  introspection_endpoint_auth_methods_supported: "strings",
  code_challenge_methods_supported: "strings",
  dpop_signing_alg_values_supported: "strings",
  authorization_grant_profiles_supported: "strings",
  authorization_response_iss_parameter_supported: "boolean",
  client_id_metadata_document_supported: "boolean",
  require_pushed_authorization_requests: "boolean",
  service_documentation: "link",
  op_policy_uri: "link",
  op_tos_uri: "link",
};

/** Metadata of a client: a registration (RFC 7591), or the document that a client id points to. */
export interface ClientMetadata {
  readonly client_id?: string;
  readonly client_name?: string;
  readonly client_uri?: string;
  readonly logo_uri?: string;
  readonly tos_uri?: string;
  readonly policy_uri?: string;
  /** Empty for a client that never redirects a user. */
  readonly redirect_uris: readonly string[];
  readonly grant_types?: readonly string[];
  readonly response_types?: readonly string[];
  readonly token_endpoint_auth_method?: string;
  readonly token_endpoint_auth_signing_alg?: string;
  readonly application_type?: string;
  readonly scope?: string;
  readonly contacts?: readonly string[];
  readonly jwks_uri?: string;
  readonly jwks?: Readonly<Record<string, unknown>>;
  readonly software_id?: string;
  readonly software_version?: string;
  readonly dpop_bound_access_tokens?: boolean;
}

const CLIENT_FIELDS: Readonly<Record<keyof ClientMetadata, FieldKind>> = {
  client_id: "string",
  client_name: "string",
  client_uri: "link",
  logo_uri: "link",
  tos_uri: "link",
  policy_uri: "link",
  redirect_uris: "strings",
  grant_types: "strings",
  response_types: "strings",
  token_endpoint_auth_method: "string",
  token_endpoint_auth_signing_alg: "string",
  application_type: "string",
  scope: "string",
  contacts: "strings",
  jwks_uri: "endpoint",
  jwks: "object",
  software_id: "string",
  software_version: "string",
  dpop_bound_access_tokens: "boolean",
};

const MAX_REDIRECT_URIS = 32;

/** @throws {SdkError} `authorization-failed`, with the field that is missing or malformed. */
export function parseProtectedResourceMetadata(value: unknown): ProtectedResourceMetadata {
  const fail = failure("protected resource metadata");
  const fields = readFields(value, RESOURCE_FIELDS, fail);
  if (fields.resource === undefined) throw fail("resource", "is missing");
  if (!URL.canParse(fields.resource as string)) throw fail("resource", "must be a URL");
  // `readFields` has checked every field.
  return fields as unknown as ProtectedResourceMetadata;
}

/** @throws {SdkError} `authorization-failed`, with the field that is missing or malformed. */
export function parseAuthorizationServerMetadata(value: unknown): AuthorizationServerMetadata {
  const fail = failure("authorization server metadata");
  const fields = readFields(value, SERVER_FIELDS, fail);
  if (fields.issuer === undefined) throw fail("issuer", "is missing");
  if (new URL(fields.issuer as string).search !== "") throw fail("issuer", "must not contain a query");
  return fields as unknown as AuthorizationServerMetadata;
}

/** @throws {OAuthError} `invalid_client_metadata`, with the field that is missing or malformed. */
export function parseClientMetadata(value: unknown): ClientMetadata {
  const fields = readFields(value, CLIENT_FIELDS, invalidMetadata);
  const client = { redirect_uris: [], ...fields } as ClientMetadata;
  const grants = client.grant_types ?? ["authorization_code"];
  if (client.redirect_uris.length === 0 && grants.includes("authorization_code")) {
    throw invalidMetadata("redirect_uris", "must have at least one item");
  }
  if (client.redirect_uris.length > MAX_REDIRECT_URIS) {
    throw invalidMetadata("redirect_uris", `must not have more than ${MAX_REDIRECT_URIS} items`);
  }
  for (const [index, uri] of client.redirect_uris.entries()) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) throw invalidMetadata(`redirect_uris[${index}]`, problem);
  }
  return client;
}

function failure(document: string) {
  return (field: string, problem: string) =>
    new SdkError(
      "authorization-failed",
      `${document}: ${field} ${problem}; the operator of the server has to correct it`,
    );
}

function invalidMetadata(field: string, problem: string): OAuthError {
  return new OAuthError("invalid_client_metadata", `${field} ${problem}`, { status: 400 });
}
