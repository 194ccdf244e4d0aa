/**
 * The login to one resource, shared by all connections to it. Requests tokens, refreshes them before they expire, and renews them when
 * the server refuses them. All waiting calls share one login and one refresh. `SessionTokens` holds the tokens.
 */
import { SdkError } from "../../errors/sdk-error.js";
import type { Challenge } from "../grammar/challenge.js";
import type { GuardedFetch } from "../grammar/guarded-fetch.js";
import { joinScopes, parseScope, unionScopes } from "../grammar/scope.js";
import { AuthorizationRequiredError } from "./authorization-required-error.js";
import { type ClientRegistration, registrationOf } from "./client-registration.js";
import type { CredentialStore } from "./credential-store.js";
import { DpopBinding } from "./dpop-binding.js";
import { authorizationFailed } from "./oauth-response.js";
import { exceeds, selectScopes } from "./scope-selection.js";
import {
  type DiscoveredResource,
  type DiscoveredServer,
  discoverAuthorizationServer,
  discoverResource,
  withoutMetadata,
} from "./server-discovery.js";
import { type LogOutProblem, SessionTokens, type TakenTokens } from "./session-tokens.js";
import { SharedFlight } from "./shared-flight.js";
import { StepUpAttempts } from "./step-up-attempts.js";
import type { GrantRequest, TokenGrant } from "./token-grant.js";
import { expiresSoon, type TokenRecord, tokenRecord } from "./token-record.js";
import { hasCode, requestTokens } from "./token-request.js";
import type { IssuedTokens } from "./token-response.js";
import { revokeTokens } from "./token-revocation.js";

export interface SessionOptions {
  readonly url: URL;
  readonly grant: TokenGrant;
  readonly clients: ClientRegistration;
  readonly store: CredentialStore;
  readonly storeKey: string;
  readonly fetch: GuardedFetch;
  readonly scopes: readonly string[];
  readonly stepUp: "login" | "throw";
  readonly dpop: boolean | "auto";
  readonly loginTimeoutMs: number;
  readonly now: () => number;
}

/** A call that may have to wait for a token. */
export interface TokenWait {
  /** Returns the signal that ends the wait. Called only if the call has to wait, since creating a signal is expensive. */
  readonly signal?: () => AbortSignal;
  /** Pauses the timeout of the call until `until` settles. */
  hold?(until: Promise<unknown>): void;
}

/** A token that a call may send, and its origin. */
export interface Renewed {
  readonly record: TokenRecord;
  /** `elsewhere`: another call or process had renewed the token already. */
  readonly by: "refresh" | "login" | "elsewhere";
}

/** A call that the server refused. */
export interface RefusedCall {
  /** `login` for a 401, `scopes` for a 403 with `insufficient_scope`. */
  readonly reason: "login" | "scopes";
  readonly challenge: Challenge | undefined;
  /** The token that was refused. */
  readonly used: TokenRecord | undefined;
  /** Whether the refused token came from a refresh. Another refresh would not help then. */
  readonly isRefreshed: boolean;
}

/** The result of a logout. This side holds no tokens after it in any case. */
export interface LogOutResult {
  /** False if the authorization server may still accept the tokens. */
  readonly isRevoked: boolean;
  /** Why tokens may work elsewhere: none were stored, the revocation failed, or the store may keep or get them again. */
  readonly error?: SdkError;
}

/** Metadata of an authorization server is fetched again after this time. */
const METADATA_TTL_MS = 300_000;

export class ResourceSession {
  readonly url: URL;
  readonly stepUps: StepUpAttempts = new StepUpAttempts();
  readonly #options: SessionOptions;
  readonly #tokens: SessionTokens;
  readonly #renewals = new SharedFlight<Renewed>();
  readonly #refreshes = new SharedFlight<TokenRecord | undefined>();
  #server: { readonly found: DiscoveredServer; readonly until: number } | undefined;

  constructor(options: SessionOptions) {
    this.url = options.url;
    this.#options = options;
    this.#tokens = new SessionTokens(options);
  }

  /** The key that the tokens were requested for. Undefined without DPoP. */
  get binding(): DpopBinding | undefined {
    return this.#tokens.binding;
  }

  async identity(): Promise<string> {
    await this.#tokens.load();
    return this.#tokens.identity;
  }

  /** Returns the token to send now, refreshed if it is about to expire. Undefined if there is none. */
  async current(waiting?: TokenWait): Promise<TokenRecord | undefined> {
    await this.#tokens.load();
    const { record } = this.#tokens;
    if (record === undefined || !expiresSoon(record, this.#options.now())) return record;
    const refreshing = this.#refreshes.join(() => this.#refreshOrDrop(record), waiting?.signal?.());
    waiting?.hold?.(refreshing);
    return refreshing;
  }

  /** Returns another token after the server has refused one. @throws {SdkError} */
  async renew(refusal: RefusedCall, signal?: AbortSignal): Promise<Renewed> {
    const { record } = this.#tokens;
    const isOther = record !== undefined && record.accessToken !== refusal.used?.accessToken;
    if (isOther && !expiresSoon(record, this.#options.now())) return { record, by: "elsewhere" };
    return this.#renewals.join((ending) => this.#authorize(refusal, ending), signal);
  }

  /** Deletes the tokens, and then revokes them at the authorization server. */
  async logOut(): Promise<LogOutResult> {
    let taken: TakenTokens | undefined;
    // A refresh in progress stores its tokens first, so that they are deleted and revoked too.
    const locked = this.#tokens.withLock(async () => {
      taken = await this.#tokens.takeOut();
    });
    const text = "The lock of the credentials failed, so another process may store tokens again";
    const unlocked = await locked.then(
      () => undefined,
      (cause: unknown) => ({ text, cause }),
    );
    // client-auth:log-out:locked: without the lock, a refresh of another process may be in progress. The user logs out all the same.
    const { record, problem } = taken ?? (await this.#tokens.takeOut());
    const failure = record === undefined ? { text: this.#nothingStored } : await this.#revoke(record);
    const problems = [unlocked, problem, failure].filter((each) => each !== undefined);
    return { isRevoked: failure === undefined, ...(problems.length > 0 && { error: logOutError(problems) }) };
  }

  /**
   * Returns the refreshed token. If the refresh fails, returns the old token until it expires. Undefined afterwards: the call is
   * then sent without a token, and the server's challenge starts a login. `record` must have an expiry.
   */
  async #refreshOrDrop(record: TokenRecord): Promise<TokenRecord | undefined> {
    const isUsable = () => this.#tokens.record === record && this.#options.now() < (record.expiresAt as number);
    try {
      const refreshed = await this.#refresh(record, await this.#discoverServer(record.issuer));
      return refreshed ?? (isUsable() ? record : undefined);
    } catch (cause) {
      if (isUsable()) return record;
      throw authorizationFailed("The access token could not be refreshed", cause);
    }
  }

  /**
   * Refreshes a token. Undefined if there is no refresh token, the server has revoked it, or a logout has emptied the store.
   * Holds the store's lock, since a refresh token may work only once and another process may have used it.
   */
  #refresh(record: TokenRecord, server: DiscoveredServer): Promise<TokenRecord | undefined> {
    return this.#tokens.withLock(async () => {
      // The tokens were replaced or forgotten while this call waited for the lock.
      if (this.#tokens.record !== record) return this.#tokens.record;
      const stored = await this.#tokens.confirm(record);
      return stored === undefined ? this.#tokens.record : this.#requestRefresh(record, server, stored);
    });
  }

  /** Has no abort signal: the server may have rotated the refresh token already, and only its answer has the new one. */
  async #requestRefresh(
    record: TokenRecord,
    server: DiscoveredServer,
    stored: string,
  ): Promise<TokenRecord | undefined> {
    const { clients, fetch, now } = this.#options;
    const { refreshToken, resource } = record;
    const dpop = this.#tokens.binding;
    const client = await clients.clientOf(server, record);
    if (refreshToken === undefined || client === undefined) return undefined;
    const parameters = { refresh_token: refreshToken, resource };
    try {
      const grantType = "refresh_token";
      const issued = await requestTokens({ server, client, grantType, parameters, fetch, dpop });
      this.#checkBound(server, issued);
      const refreshed = tokenRecord(record, issued, now(), record);
      const isCurrent = this.#tokens.record === record && !(await this.#tokens.isReplaced(stored));
      if (isCurrent) await this.#tokens.keep(refreshed, dpop);
      // client-auth:log-out:locked: the user logged out, here or in another process, without the lock that this refresh holds.
      if (this.#tokens.record === undefined) await this.#revoke(refreshed);
      return this.#tokens.record;
    } catch (error) {
      if (hasCode(error, "invalid_client")) await clients.forget(server.issuer, record.clientId);
      else if (!hasCode(error, "invalid_grant")) throw error;
      if (!(await this.#tokens.isReplaced(stored))) await this.#tokens.forget();
      return this.#tokens.record;
    }
  }

  /** Gets another token within `loginTimeoutMs`. */
  async #authorize(refusal: RefusedCall, signal: AbortSignal): Promise<Renewed> {
    const { loginTimeoutMs } = this.#options;
    const late = AbortSignal.timeout(loginTimeoutMs);
    try {
      return await this.#obtain(refusal, AbortSignal.any([signal, late]));
    } catch (cause) {
      if (late.aborted && cause === late.reason) {
        const message = `Nobody logged in within ${loginTimeoutMs} ms; loginTimeoutMs allows more`;
        throw new SdkError("authorization-failed", message);
      }
      throw authorizationFailed(`No access token for ${this.#name}`, cause);
    }
  }

  /** Takes a newer token, refreshes, or has the grant request one for the scopes that the server asks for. */
  async #obtain(refusal: RefusedCall, signal: AbortSignal): Promise<Renewed> {
    const newer = await this.#tokens.adoptNewer();
    if (newer) return { record: newer, by: "elsewhere" };
    if (refusal.reason === "scopes" && this.#options.stepUp === "throw") throw this.#scopesRequired(refusal.challenge);
    const { parameters = {} } = refusal.challenge ?? {};
    const found = await discoverResource(this.url, parameters.resource_metadata, this.#options.fetch);
    const server = await this.#discoverServer(await this.#options.clients.chooseIssuer(found.issuers));
    // Tokens of another authorization server are not refreshed, and their scopes are not asked for again.
    const known = this.#tokens.record;
    const record = known?.issuer === server.issuer ? known : undefined;
    const challenged = parseScope(parameters.scope);
    if (record && refusal.reason === "login" && !refusal.isRefreshed && !exceeds(challenged, record.scopes)) {
      const refreshed = await this.#refresh(record, server);
      if (refreshed) return { record: refreshed, by: "refresh" };
    }
    const scopes = selectScopes({
      challenged,
      advertised: found.metadata?.scopes_supported ?? [],
      configured: this.#options.scopes,
      earlier: record?.requestedScopes ?? [],
    });
    if (refusal.reason === "scopes") this.stepUps.begin(scopes);
    const wantsDpop = this.#wantsDpop(found, server, refusal.challenge);
    const dpop = wantsDpop ? (this.#tokens.binding ?? (await DpopBinding.create(this.#options.now))) : undefined;
    return { record: await this.#grant({ resource: found.resource, server, scopes, signal, dpop }), by: "login" };
  }

  #scopesRequired(challenge: Challenge | undefined): AuthorizationRequiredError {
    const { record } = this.#tokens;
    const scopes = unionScopes(record?.requestedScopes ?? [], parseScope(challenge?.parameters.scope));
    const message = `${this.#name} wants the scopes ${joinScopes(scopes)}; with \`stepUp: "login"\` the client asks for them`;
    return new AuthorizationRequiredError(message, {
      reason: "scopes",
      scopes,
      issuer: record?.issuer,
      resource: record?.resource ?? this.url.href,
    });
  }

  /** With `"auto"`, resource and authorization server must support DPoP: a resource without it refuses bound tokens. */
  #wantsDpop({ metadata }: DiscoveredResource, server: DiscoveredServer, challenge: Challenge | undefined): boolean {
    const { dpop } = this.#options;
    if (dpop !== "auto") return dpop;
    if (metadata?.dpop_bound_access_tokens_required === true) return true;
    const isOffered = server.metadata.dpop_signing_alg_values_supported?.includes("ES256") === true;
    const isKnown = metadata?.dpop_signing_alg_values_supported?.includes("ES256") || challenge?.scheme === "dpop";
    return isOffered && isKnown === true;
  }

  /** Has the grant request tokens, and stores them. */
  async #grant(request: Omit<GrantRequest, "fetch">): Promise<TokenRecord> {
    const { grant, fetch, now } = this.#options;
    const { server, resource, dpop } = request;
    try {
      const granted = await grant.obtain({ ...request, fetch });
      this.#checkBound(server, granted.tokens);
      const owner = {
        issuer: server.issuer,
        clientId: granted.client.clientId,
        resource,
        requestedScopes: granted.scopes,
        registration: registrationOf(granted.client),
        login: crypto.randomUUID(),
        dpopKey: dpop && (await dpop.exportKey()),
      };
      const record = tokenRecord(owner, granted.tokens, now());
      // A refresh in progress stores its tokens first, so that those of the login replace them.
      await this.#tokens.withLock(() => this.#tokens.keep(record, dpop));
      return record;
    } catch (error) {
      if (hasCode(error, "invalid_client")) await this.#forgetClient(server);
      throw withoutMetadata(server, error);
    }
  }

  /** RFC 9449, section 5: a client that depends on DPoP discards a token that is not bound. */
  #checkBound({ issuer }: DiscoveredServer, { scheme }: IssuedTokens): void {
    if (this.#options.dpop !== true || scheme === "DPoP") return;
    const advice = "have it support DPoP, or leave `dpop` out";
    throw new SdkError("authorization-failed", `The token that ${issuer} issued is not bound to a key: ${advice}`);
  }

  /** Deletes the client that the server refused, and its tokens. Tokens of an earlier registration stay. */
  async #forgetClient(server: DiscoveredServer): Promise<void> {
    const { clients } = this.#options;
    const refused = await clients.known(server);
    await clients.forget(server.issuer);
    if (this.#tokens.record?.clientId === refused?.clientId) await this.#tokens.withLock(() => this.#tokens.forget());
  }

  async #revoke(record: TokenRecord): Promise<LogOutProblem | undefined> {
    const { clients, fetch } = this.#options;
    try {
      const server = await this.#discoverServer(record.issuer);
      await revokeTokens(record, { server, client: await clients.clientOf(server, record), fetch });
      return undefined;
    } catch (cause) {
      return { text: "The tokens are forgotten here and not revoked", cause };
    }
  }

  get #nothingStored(): string {
    return (
      `No tokens are stored for ${this.#name}, so none were revoked: ` +
      "check the URL, and that client, clientMetadataUrl, clientName and account are those of the login"
    );
  }

  async #discoverServer(issuer: string): Promise<DiscoveredServer> {
    const { fetch, now } = this.#options;
    const kept = this.#server;
    if (kept?.found.issuer === issuer && now() < kept.until) return kept.found;
    const found = await discoverAuthorizationServer(issuer, fetch);
    this.#server = { found, until: now() + METADATA_TTL_MS };
    return found;
  }

  get #name(): string {
    return `${this.url.origin}${this.url.pathname}`;
  }
}

function logOutError(problems: readonly LogOutProblem[]): SdkError {
  const texts = problems.map(({ text, cause }) => {
    if (cause === undefined) return text;
    return `${text}: ${cause instanceof Error ? cause.message : String(cause)}`;
  });
  return new SdkError("authorization-failed", texts.join(". "), { cause: problems[0]?.cause });
}
