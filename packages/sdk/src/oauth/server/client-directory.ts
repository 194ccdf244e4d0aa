/** Finds clients: configured ones, registered ones, and those that a metadata document describes. */

import { checkText } from "../../errors/option-checks.js";
import { checkOptions } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { isJsonObject } from "../../runtime/json.js";
import type { ClientAuthMethod } from "../grammar/metadata.js";
import { parseClientMetadata } from "../grammar/metadata.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { redirectUriProblem } from "../grammar/redirect-uri.js";
import type { AuthorizationStore } from "./authorization-store.js";
import { CLIENT_OPTIONS, type ClientRecord, type ConfiguredClient } from "./client-record.js";
import type { RemoteDocuments } from "./remote-documents.js";
import { digest } from "./secrets.js";

export interface ClientDirectoryOptions {
  readonly configured: readonly ConfiguredClient[];
  /** Whether the URL of a metadata document is accepted as a client id. */
  readonly hasDocuments: boolean;
  readonly store: AuthorizationStore;
  readonly documents: RemoteDocuments;
  readonly now: () => number;
  /** How long a registered client is kept after its last approval. */
  readonly usedClientMs: number;
}

const MAX_CLIENT_ID_CHARS = 2_048;
/** Least length of a secret. Attackers may guess at the token endpoint, at the rate of each of their addresses. */
const MIN_SECRET_CHARS = 16;
/** Fields that a public document must not contain. */
const SECRET_FIELDS = ["client_secret", "client_secret_expires_at"];

export class ClientDirectory {
  readonly #options: ClientDirectoryOptions;
  readonly #configured: ReadonlyMap<string, ConfiguredClient>;

  /** @throws {SdkError} `invalid-argument` for an invalid configured client */
  constructor(options: ClientDirectoryOptions) {
    this.#options = options;
    const clients = options.configured.map(checked);
    this.#configured = new Map(clients.map((client) => [client.clientId, client]));
    const repeated = clients.find((client) => this.#configured.get(client.clientId) !== client);
    if (repeated === undefined) return;
    throw new SdkError("invalid-argument", `client "${repeated.clientId}": two have this clientId`);
  }

  /**
   * Finds a client by its id, for a request from an address. Undefined for an unknown id.
   * @throws {OAuthError} `invalid_client` if the metadata document of a URL cannot be used
   */
  async find(clientId: string, address?: string): Promise<ClientRecord | undefined> {
    const configured = this.#configured.get(clientId);
    if (configured) return fromConfiguration(configured);
    if (clientId.length > MAX_CLIENT_ID_CHARS) return undefined;
    if (this.#options.hasDocuments && isDocumentUrl(clientId)) return this.#fromDocument(clientId, address);
    const { store } = this.#options;
    return ((await store.get("clients", clientId)) ?? (await store.get("registrations", clientId)))?.value;
  }

  /** Moves a registered client that a user has approved to the table `clients`, where new registrations do not evict it. */
  async approve({ clientId, origin }: Pick<ClientRecord, "clientId" | "origin">, subject: string): Promise<void> {
    const client = origin === "registration" ? await this.find(clientId) : undefined;
    // New registrations may have evicted the client while its user decided. Its code then cannot be redeemed.
    if (!client) return;
    const { store, now, usedClientMs } = this.#options;
    await store.update("clients", clientId, (current) => ({
      value: client,
      expiresAt: now() + usedClientMs,
      // The first user who approved the client. Otherwise a user could become the owner of other users' clients, and displace them.
      owner: current?.owner ?? subject,
    }));
    await store.update("registrations", clientId, () => undefined);
  }

  /** Deletes the registration of a client. Configured clients and clients with a document stay known. */
  async forget(clientId: string): Promise<void> {
    for (const table of ["clients", "registrations"] as const) {
      await this.#options.store.update(table, clientId, () => undefined);
    }
  }

  async #fromDocument(url: string, address: string | undefined): Promise<ClientRecord> {
    try {
      return clientFromDocument(url, await this.#options.documents.get(url, { address }));
    } catch (error) {
      if (error instanceof OAuthError && error.code === "temporarily_unavailable") throw error;
      // An invalid document is not cached, so that a corrected one works at once.
      this.#options.documents.forget(url);
      // The message omits the reason of a failed fetch, which would reveal the server's network to strangers.
      const reason = error instanceof OAuthError ? error.description : "it could not be fetched";
      const advice = `the client metadata document cannot be used: ${reason}`;
      throw new OAuthError("invalid_client", advice, { status: 401, cause: error });
    }
  }
}

/** Whether a client id is the URL of a metadata document: a normalized https URL with a path, without fragment and credentials. */
function isDocumentUrl(clientId: string): boolean {
  if (!clientId.startsWith("https://") || !URL.canParse(clientId)) return false;
  const url = new URL(clientId);
  return url.href === clientId && url.pathname !== "/" && url.hash === "" && url.username === "" && url.password === "";
}

function clientFromDocument(url: string, document: unknown): ClientRecord {
  const metadata = parseClientMetadata(document);
  if (!isJsonObject(document) || document.client_id !== url) throw invalid("client_id is not the URL of the document");
  const secret = SECRET_FIELDS.find((field) => field in document);
  if (secret !== undefined) throw invalid(`it must not contain ${secret}`);
  if (typeof metadata.client_name !== "string") throw invalid("client_name is missing");
  const authMethod = metadata.token_endpoint_auth_method ?? "none";
  if (authMethod !== "none" && authMethod !== "private_key_jwt") {
    throw invalid("token_endpoint_auth_method must be none or private_key_jwt");
  }
  return {
    clientId: url,
    name: metadata.client_name,
    origin: "document",
    redirectUris: metadata.redirect_uris,
    // Anybody can publish a document, so `client_credentials`, which needs no user, is removed.
    grantTypes: (metadata.grant_types ?? ["authorization_code"]).filter((type) => type !== "client_credentials"),
    authMethod,
    ...(metadata.jwks !== undefined && { jwks: metadata.jwks }),
    ...(metadata.jwks_uri !== undefined && { jwksUri: metadata.jwks_uri }),
  };
}

function invalid(description: string): OAuthError {
  return new OAuthError("invalid_client_metadata", description);
}

function checked(client: ConfiguredClient): ConfiguredClient {
  checkOptions("clients", client, CLIENT_OPTIONS);
  checkText("clients: clientId", client.clientId);
  // An undefined `clientSecret` is a missing secret. Without this check the client would be public.
  if ("clientSecret" in client)
    checkText(`client "${client.clientId}": clientSecret`, client.clientSecret, MIN_SECRET_CHARS);
  for (const uri of client.redirectUris ?? []) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) {
      throw new SdkError("invalid-argument", `client "${client.clientId}": redirect URI "${uri}" ${problem}`);
    }
  }
  if (client.clientSecret !== undefined && client.jwks !== undefined) {
    throw new SdkError("invalid-argument", `client "${client.clientId}": give clientSecret or jwks, not both`);
  }
  const needsProof =
    client.introspects !== undefined ||
    client.grantTypes?.some((type) => type !== "authorization_code" && type !== "refresh_token");
  if (needsProof && authMethodOf(client) === "none") {
    throw new SdkError(
      "invalid-argument",
      `client "${client.clientId}": give clientSecret or jwks; what it may do needs one`,
    );
  }
  return client;
}

async function fromConfiguration(client: ConfiguredClient): Promise<ClientRecord> {
  const { clientId, name, redirectUris, grantTypes, clientSecret, jwks, scopes, introspects } = client;
  return {
    clientId,
    name: name ?? clientId,
    origin: "configuration",
    redirectUris: redirectUris ?? [],
    grantTypes: grantTypes ?? ["authorization_code", "refresh_token"],
    authMethod: authMethodOf(client),
    ...(clientSecret !== undefined && { secretDigest: await digest(clientSecret) }),
    ...(jwks !== undefined && { jwks: { ...jwks } }),
    ...(scopes !== undefined && { scopes }),
    ...(introspects !== undefined && { introspects }),
  };
}

function authMethodOf({ clientSecret, jwks }: ConfiguredClient): ClientAuthMethod {
  if (jwks !== undefined) return "private_key_jwt";
  return clientSecret === undefined ? "none" : "client_secret_basic";
}
