/** A client of the authorization server: as the store holds it, and as the author configures it. */
import type { JSONWebKeySet } from "jose";
import type { OptionTable } from "../../errors/option-table.js";
import type { ClientAuthMethod } from "../grammar/metadata.js";

export const CLIENT_AUTH_METHODS: readonly ClientAuthMethod[] = [
  "none",
  "client_secret_basic",
  "client_secret_post",
  "private_key_jwt",
];

/** How a client gets tokens, by the names of RFC 7591. */
export type GrantType =
  | "authorization_code"
  | "refresh_token"
  | "client_credentials"
  | "urn:ietf:params:oauth:grant-type:jwt-bearer";

export interface ClientRecord {
  readonly clientId: string;
  readonly name: string;
  /** The source of the record: the configuration, a registration, or the client's metadata document. */
  readonly origin: "configuration" | "registration" | "document";
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
  readonly authMethod: ClientAuthMethod;
  /** The digest of the secret, for the methods that have one. */
  readonly secretDigest?: string;
  /** Expiry of the secret, in milliseconds since 1970. */
  readonly secretExpiresAt?: number;
  /** The scopes that the client may have. Undefined: all scopes of the resource. */
  readonly scopes?: readonly string[];
  /** The keys of `private_key_jwt`: by value, or by URL in `jwksUri`. */
  readonly jwks?: Readonly<Record<string, unknown>>;
  readonly jwksUri?: string;
  /** The resources whose tokens the client may introspect, including tokens of other clients. */
  readonly introspects?: readonly string[];
}

/** A client in the configuration of the server. */
export interface ConfiguredClient {
  readonly clientId: string;
  /** The name that the consent page shows. @defaultValue the client id */
  readonly name?: string;
  /** @defaultValue none: the client cannot ask users */
  readonly redirectUris?: readonly string[];
  /** @defaultValue `["authorization_code", "refresh_token"]` */
  readonly grantTypes?: readonly GrantType[];
  /** The secret of a confidential client: at least 16 characters. @defaultValue none: the client is public, or has keys */
  readonly clientSecret?: string | undefined;
  /** The public keys of a client that authenticates by `private_key_jwt`. */
  readonly jwks?: JSONWebKeySet;
  /** The scopes that the client may have. @defaultValue all */
  readonly scopes?: readonly string[];
  /** The resources that the client serves. It may introspect their tokens, including those of other clients. @defaultValue none */
  readonly introspects?: readonly string[];
}

export const CLIENT_OPTIONS: OptionTable<ConfiguredClient> = {
  ...{ clientId: true, name: "string", redirectUris: "list", grantTypes: "list", clientSecret: true, jwks: "object" },
  ...{ scopes: "list", introspects: "list" },
};

export function isConfidential({ authMethod }: ClientRecord): boolean {
  return authMethod !== "none";
}
