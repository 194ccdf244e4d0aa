/**
 * Determines the client id and credentials at an authorization server, in the order of the specification: credentials of the
 * operator, the URL of a client metadata document, a dynamic registration. Credentials belong to one issuer.
 */

import { SdkError } from "../../errors/sdk-error.js";
import type { JsonObject } from "../../runtime/json.js";
import type { GuardedFetch } from "../grammar/guarded-fetch.js";
import { isLoopbackHost } from "../grammar/loopback.js";
import type { ClientAuthMethod, ClientMetadata } from "../grammar/metadata.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { joinScopes, parseScope } from "../grammar/scope.js";
import type { RegisteredClient } from "./client-authentication.js";
import type { CredentialStore } from "./credential-store.js";
import { authorizationFailed, readOAuthResponse } from "./oauth-response.js";
import type { DiscoveredServer } from "./server-discovery.js";
import { readStored } from "./stored-json.js";

export interface ClientRegistrationOptions {
  /** @defaultValue none */
  readonly client?: RegisteredClient | undefined;
  /** @defaultValue none */
  readonly clientMetadataUrl?: string | undefined;
  /** @defaultValue none */
  readonly clientMetadata?: Partial<ClientMetadata> | undefined;
  /** @defaultValue none */
  readonly clientName?: string | undefined;
  /** Empty for a client that never redirects a user. */
  readonly redirectUri: string;
  readonly store: CredentialStore;
  /** Distinguishes the clients that share a store. */
  readonly identity: string;
  readonly now: () => number;
}

/** The arguments of one registration request. */
export interface RegistrationCall {
  readonly fetch: GuardedFetch;
  readonly scopes: readonly string[];
  readonly signal: AbortSignal;
}

/** A dynamic registration, as the store keeps it. */
export interface StoredRegistration {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly authMethod?: ClientAuthMethod | undefined;
  /** Milliseconds since 1970. Undefined if the secret does not expire. */
  readonly secretExpiresAt?: number | undefined;
  readonly redirectUri: string;
  /** The scopes that the server limits the client to. Undefined if the server named none. */
  readonly scopes?: readonly string[] | undefined;
}

/** The client of stored tokens. */
export interface TokenClient {
  readonly clientId: string;
  /** Its dynamic registration. A later login may have registered another client at the same issuer. */
  readonly registration?: StoredRegistration | undefined;
}

const METHODS: readonly ClientAuthMethod[] = ["none", "client_secret_basic", "client_secret_post"];

export class ClientRegistration {
  readonly #options: ClientRegistrationOptions;

  /** @throws {SdkError} `invalid-argument` for a metadata URL that cannot be a client id. */
  constructor(options: ClientRegistrationOptions) {
    const { clientMetadataUrl } = options;
    if (clientMetadataUrl !== undefined && !isClientIdUrl(clientMetadataUrl)) {
      const message = `clientMetadataUrl must be an https URL with a path and without fragment, got ${clientMetadataUrl}`;
      throw new SdkError("invalid-argument", message);
    }
    this.#options = options;
  }

  /**
   * Chooses among the issuers that a resource names: the one that the credentials belong to, else the first.
   * @throws {SdkError} `authorization-failed` if the credentials belong to an issuer that is not among them.
   */
  async chooseIssuer(issuers: readonly string[]): Promise<string> {
    const { client } = this.#options;
    // `discoverResource` returns at least one issuer.
    const first = issuers[0] as string;
    if (client === undefined) return first;
    const bound = client.issuer ?? (await this.#boundIssuer(first));
    if (issuers.includes(bound)) return bound;
    throw new SdkError(
      "authorization-failed",
      `The server's authorization server is ${first}, and the client ${client.clientId} is registered with ${bound}: ` +
        (sameButSlash(first, bound)
          ? `write \`issuer\` of the client exactly as ${JSON.stringify(first)}`
          : "pass the credentials of a client that this authorization server knows"),
    );
  }

  /** The issuer that the credentials belong to: the first one that was ever named. */
  #boundIssuer(named: string): Promise<string> {
    const { store } = this.#options;
    const key = this.#bindingKey;
    // Without the lock, two servers that are called at once could both name the first issuer, and get the credentials.
    return store.withLock(key, async () => {
      const bound = readStored(await store.get(key))?.issuer;
      if (typeof bound === "string") return bound;
      await store.set(key, JSON.stringify({ issuer: named }));
      return named;
    });
  }

  /** The client as the server knows it already, for requests without a redirect. Undefined if it is not registered. */
  async known({ issuer, metadata }: DiscoveredServer): Promise<RegisteredClient | undefined> {
    const { client, clientMetadataUrl } = this.#options;
    if (client) return client;
    if (clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true) {
      return { clientId: clientMetadataUrl, authMethod: "none" };
    }
    return this.#registered(issuer);
  }

  /** The client that got tokens. Undefined if the server does not know it any more. */
  async clientOf(server: DiscoveredServer, tokens: TokenClient): Promise<RegisteredClient | undefined> {
    const candidates = [await this.known(server), this.#unexpired(tokens.registration)];
    return candidates.find((client) => client?.clientId === tokens.clientId);
  }

  /** @throws {SdkError} `authorization-failed`; its cause is the `OAuthError` of a refused registration. */
  async obtain(server: DiscoveredServer, call: RegistrationCall): Promise<RegisteredClient> {
    const known = await this.known(server);
    const stored = known && registrationOf(known);
    if (known && (stored === undefined || this.#permits(stored, call.scopes))) return known;
    const registration = await this.#register(server, call);
    await this.#options.store.set(this.#registrationKey(server.issuer), JSON.stringify(registration));
    return registration;
  }

  #permits({ redirectUri, scopes }: StoredRegistration, asked: readonly string[]): boolean {
    // Authorization servers compare redirect URIs exactly. A loopback receiver may have another port than at the registration.
    if (redirectUri !== this.#options.redirectUri) return false;
    // RFC 7591: a server may refuse scopes that the client did not register for, so a step-up needs a new registration.
    return scopes === undefined || asked.every((scope) => scopes.includes(scope));
  }

  /**
   * Deletes the dynamic registration. Credentials of the operator stay.
   * @param clientId the client that the server refused. A registration that has replaced it stays. @defaultValue any client
   */
  async forget(issuer: string, clientId?: string): Promise<void> {
    const { store } = this.#options;
    const key = this.#registrationKey(issuer);
    const isReplaced = clientId !== undefined && readStored(await store.get(key))?.clientId !== clientId;
    if (!isReplaced) await store.delete(key);
  }

  get #bindingKey(): string {
    return JSON.stringify(["issuer", this.#options.identity]);
  }

  #registrationKey(issuer: string): string {
    return JSON.stringify(["client", issuer, this.#options.identity]);
  }

  async #registered(issuer: string): Promise<StoredRegistration | undefined> {
    const stored = readStored(await this.#options.store.get(this.#registrationKey(issuer)));
    if (typeof stored?.clientId !== "string") return undefined;
    // Only this class writes under the key.
    return this.#unexpired(stored as unknown as StoredRegistration);
  }

  #unexpired(registration: StoredRegistration | undefined): StoredRegistration | undefined {
    const expiresAt = registration?.secretExpiresAt ?? Number.POSITIVE_INFINITY;
    return this.#options.now() < expiresAt ? registration : undefined;
  }

  async #register({ issuer, metadata }: DiscoveredServer, call: RegistrationCall): Promise<StoredRegistration> {
    const endpoint = metadata.registration_endpoint;
    if (endpoint === undefined) {
      throw new SdkError(
        "authorization-failed",
        `${issuer} does not register clients: pass \`client\` with the client id that its operator gave you` +
          (metadata.client_id_metadata_document_supported === true ? ", or `clientMetadataUrl`" : ""),
      );
    }
    try {
      const response = await call.fetch(endpoint, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify(this.#metadata(metadata.token_endpoint_auth_methods_supported, call.scopes)),
        signal: call.signal,
      });
      return this.#accept(await readOAuthResponse(`POST ${endpoint}`, response));
    } catch (cause) {
      throw refused(issuer, cause);
    }
  }

  #metadata(methods: readonly string[] | undefined, scopes: readonly string[]): ClientMetadata {
    const { clientName = "MCP client", clientMetadata } = this.#options;
    return {
      client_name: clientName,
      redirect_uris: [this.#options.redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: METHODS.find((method) => methods?.includes(method)) ?? "none",
      application_type: applicationType(this.#options.redirectUri),
      ...(scopes.length > 0 && { scope: joinScopes(scopes) }),
      ...clientMetadata,
    };
  }

  /** A server may register other values than the requested ones. Only values that make the login impossible are refused. */
  #accept(value: JsonObject): StoredRegistration {
    const { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method, redirect_uris } = value;
    const { scope } = value;
    if (typeof client_id !== "string" || client_id === "") throw unusable("client_id is missing");
    if (Array.isArray(redirect_uris) && !redirect_uris.includes(this.#options.redirectUri)) {
      throw unusable(`redirect_uris lacks ${this.#options.redirectUri}`);
    }
    const clientSecret = typeof client_secret === "string" && client_secret !== "" ? client_secret : undefined;
    const authMethod = METHODS.find((method) => method === token_endpoint_auth_method);
    const isKnownMethod = token_endpoint_auth_method === undefined || authMethod !== undefined;
    const needsSecret = authMethod !== undefined && authMethod !== "none";
    if (!isKnownMethod || (needsSecret && clientSecret === undefined)) {
      throw unusable(
        `this client cannot authenticate by ${JSON.stringify(token_endpoint_auth_method)} with what it got`,
      );
    }
    const expiresAt = Number(client_secret_expires_at) * 1_000;
    return {
      clientId: client_id,
      redirectUri: this.#options.redirectUri,
      ...(clientSecret !== undefined && { clientSecret }),
      ...(authMethod !== undefined && { authMethod }),
      ...(expiresAt > 0 && { secretExpiresAt: expiresAt }),
      ...(typeof scope === "string" && { scopes: parseScope(scope) }),
    };
  }
}

/** The dynamic registration of a client. Undefined for other clients, whose credentials the program has. */
export function registrationOf(client: RegisteredClient): StoredRegistration | undefined {
  return "redirectUri" in client ? (client as StoredRegistration) : undefined;
}

/** Whether two issuers differ only by a slash at the end: a common mistake when an issuer is copied. */
function sameButSlash(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}

/** OpenID Connect: loopback redirects and private schemes belong to native applications. */
function applicationType(redirectUri: string): "native" | "web" {
  const url = new URL(redirectUri);
  return url.protocol === "https:" && !isLoopbackHost(url.hostname) ? "web" : "native";
}

function isClientIdUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "https:" && url.pathname !== "/" && url.hash === "";
}

function unusable(why: string): SdkError {
  return new SdkError("authorization-failed", `The registration response cannot be used: ${why}`);
}

function refused(issuer: string, cause: unknown): SdkError {
  const isRedirect = cause instanceof OAuthError && cause.code === "invalid_redirect_uri";
  const advice = isRedirect ? " (check the redirect URI, or set `application_type` in clientMetadata)" : "";
  return authorizationFailed(`${issuer} did not register this client${advice}`, cause);
}
