/** Dynamic client registration (RFC 7591). Anybody may register, so a registration grants nothing until a user approves it. */

import { siteOf } from "../../hosting/http/client-address.js";
import type { JsonObject } from "../../runtime/json.js";
import type { ClientAuthMethod } from "../grammar/metadata.js";
import { type ClientMetadata, parseClientMetadata } from "../grammar/metadata.js";
import { OAuthError } from "../grammar/oauth-error.js";
import type { AuthorizationStore } from "./authorization-store.js";
import { CLIENT_AUTH_METHODS, type ClientRecord } from "./client-record.js";
import { readBody } from "./form-body.js";
import { JWT_BEARER } from "./identity-assertion-grant.js";
import { digest, randomSecret } from "./secrets.js";

export interface RegistrationEndpointOptions {
  readonly store: AuthorizationStore;
  readonly now: () => number;
  /** How long a client without an approval is kept. */
  readonly unusedClientMs: number;
  /** How long a client secret is valid. */
  readonly secretMs: number;
}

/** Limit of the body. At the rate of one address, its registrations fill only a small part of the table. */
const MAX_BODY_BYTES = 16_384;

/** Grant types that need a user or an identity provider. `client_credentials` would give tokens to any registered client. */
const OPEN_GRANT_TYPES: readonly string[] = ["authorization_code", "refresh_token", JWT_BEARER];

export class RegistrationEndpoint {
  readonly #options: RegistrationEndpointOptions;

  constructor(options: RegistrationEndpointOptions) {
    this.#options = options;
  }

  /** @throws {OAuthError} `invalid_client_metadata` with the field that is wrong */
  async handle(request: Request, address: string | undefined): Promise<JsonObject> {
    const { store, now, unusedClientMs, secretMs } = this.#options;
    const metadata = metadataFrom(await readBody(request, "application/json", MAX_BODY_BYTES));
    const authMethod = authMethodOf(metadata);
    const grantTypes = grantTypesOf(metadata);
    const hasSecret = authMethod === "client_secret_basic" || authMethod === "client_secret_post";
    const [clientId, secret] = [randomSecret(), hasSecret ? randomSecret() : undefined];
    const issuedAt = now();
    const secretExpiresAt = issuedAt + secretMs;
    const client: ClientRecord = {
      clientId,
      name: metadata.client_name ?? "An application without a name",
      origin: "registration",
      redirectUris: metadata.redirect_uris,
      grantTypes,
      authMethod,
      ...(secret !== undefined && { secretDigest: await digest(secret), secretExpiresAt }),
      ...(metadata.jwks !== undefined && { jwks: metadata.jwks }),
      ...(metadata.jwks_uri !== undefined && { jwksUri: metadata.jwks_uri }),
    };
    await store.update("registrations", clientId, () => ({
      value: client,
      expiresAt: issuedAt + unusedClientMs,
      ...(address !== undefined && { owner: siteOf(address) }),
    }));
    return {
      ...metadata,
      client_id: clientId,
      client_id_issued_at: Math.floor(issuedAt / 1_000),
      ...(secret !== undefined && {
        client_secret: secret,
        client_secret_expires_at: Math.floor(secretExpiresAt / 1_000),
      }),
      grant_types: grantTypes,
      response_types: ["code"],
      token_endpoint_auth_method: authMethod,
    };
  }
}

function metadataFrom(body: string): ClientMetadata {
  try {
    // `scope` is dropped: the user decides on scopes, and registered scopes would prevent a later step-up.
    const { client_id: _ours, scope: _all, ...metadata } = parseClientMetadata(JSON.parse(body));
    return metadata;
  } catch (cause) {
    const reason = cause instanceof OAuthError ? cause.description : "the body is not valid JSON";
    throw invalid(`${reason}`, cause);
  }
}

function authMethodOf({
  token_endpoint_auth_method = "client_secret_basic",
  jwks,
  jwks_uri,
}: ClientMetadata): ClientAuthMethod {
  const method = CLIENT_AUTH_METHODS.find((each) => each === token_endpoint_auth_method);
  if (!method) throw invalid(`token_endpoint_auth_method must be one of ${CLIENT_AUTH_METHODS.join(", ")}`);
  if (method === "private_key_jwt" && jwks === undefined && jwks_uri === undefined) {
    throw invalid("private_key_jwt needs jwks or jwks_uri");
  }
  return method;
}

function grantTypesOf({
  grant_types = ["authorization_code"],
  response_types = ["code"],
}: ClientMetadata): readonly string[] {
  if (response_types.some((type) => type !== "code")) throw invalid("response_types must be code alone");
  const granted = OPEN_GRANT_TYPES.filter((type) => grant_types.includes(type));
  if (granted.length === 0) throw invalid(`grant_types must have one of ${OPEN_GRANT_TYPES.join(", ")}`);
  return granted;
}

function invalid(description: string, cause?: unknown): OAuthError {
  return new OAuthError("invalid_client_metadata", description, { status: 400, cause });
}
