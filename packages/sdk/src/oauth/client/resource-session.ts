/**
 * The tokens of one resource, shared by all connections to it. Requests tokens, refreshes them before they expire, and renews
 * them when the server refuses them. All waiting calls share one login and one refresh.
 */
import { SdkError } from "../../errors/sdk-error.js";
import type { Challenge } from "../grammar/challenge.js";
import type { GuardedFetch } from "../grammar/guarded-fetch.js";
import { joinScopes, parseScope, unionScopes } from "../grammar/scope.js";
import { AuthorizationRequiredError } from "./authorization-required-error.js";
import type { ClientRegistration } from "./client-registration.js";
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
import { SharedFlight } from "./shared-flight.js";
import { StepUpAttempts } from "./step-up-attempts.js";
import type { GrantRequest, TokenGrant } from "./token-grant.js";
import { parseTokenRecord, type TokenRecord, tokenRecord } from "./token-record.js";
import { hasCode, requestTokens } from "./token-request.js";
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
  /** `elsewhere`: another call had renewed the token already. */
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

interface TakenTokens {
  readonly record: TokenRecord | undefined;
  readonly problem: LogOutProblem | undefined;
}

/** A reason why tokens may work after a logout. */
interface LogOutProblem {
  readonly text: string;
  readonly cause?: unknown;
}

/** A token is refreshed before it is sent if it expires within this time. */
const EXPIRY_SKEW_MS = 30_000;
/** Metadata of an authorization server is fetched again after this time. */
const METADATA_TTL_MS = 300_000;

export class ResourceSession {
  readonly url: URL;
  readonly stepUps: StepUpAttempts = new StepUpAttempts();
  readonly #options: SessionOptions;
  readonly #renewals = new SharedFlight<Renewed>();
  readonly #refreshes = new SharedFlight<TokenRecord | undefined>();
  #loading: Promise<void> | undefined;
  #record: TokenRecord | undefined;
  #binding: DpopBinding | undefined;
  #server: { readonly found: DiscoveredServer; readonly until: number } | undefined;
  /** Identity of calls without a login. Replaced by every login and logout, so that no cached result outlives one. */
  #anonymous: string = crypto.randomUUID();

  constructor(options: SessionOptions) {
    this.url = options.url;
    this.#options = options;
  }

  /** The key that the tokens are bound to. Undefined for Bearer tokens. */
  get binding(): DpopBinding | undefined {
    return this.#binding;
  }

  async identity(): Promise<string> {
    await this.#load();
    return this.#record?.login ?? this.#anonymous;
  }

  /** Returns the token to send now, refreshed if it is about to expire. Undefined if there is none. */
  async current(waiting?: TokenWait): Promise<TokenRecord | undefined> {
    await this.#load();
    const record = this.#record;
    if (record === undefined || !this.#expiresSoon(record)) return record;
    const refreshing = this.#refreshes.join(() => this.#refreshOrDrop(record), waiting?.signal?.());
    waiting?.hold?.(refreshing);
    return refreshing;
  }

  /** Returns another token after the server has refused one. @throws {SdkError} */
  async renew(refusal: RefusedCall, signal?: AbortSignal): Promise<Renewed> {
    const { used, challenge, reason } = refusal;
    const record = this.#record;
    const isOther = record !== undefined && record.accessToken !== used?.accessToken && !this.#expiresSoon(record);
    if (isOther) return { record, by: "elsewhere" };
    if (reason === "scopes" && this.#options.stepUp === "throw") throw this.#scopesRequired(challenge);
    return this.#renewals.join((ending) => this.#authorize(refusal, ending), signal);
  }

  /** Deletes the tokens, and then revokes them at the authorization server. */
  async logOut(): Promise<LogOutResult> {
    const { store, storeKey } = this.#options;
    let taken: TakenTokens | undefined;
    // A refresh in progress stores its tokens first, so that they are deleted and revoked too.
    const locked = store.withLock(storeKey, async () => {
      taken = await this.#takeOut();
    });
    const text = "The lock of the credentials failed, so another process may store tokens again";
    const unlocked = await locked.then(
      () => undefined,
      (cause: unknown) => ({ text, cause }),
    );
    // client-auth:log-out:locked: without the lock, a refresh of another process may be in progress. The user logs out all the same.
    const { record, problem } = taken ?? (await this.#takeOut());
    const failure = record === undefined ? { text: this.#nothingStored } : await this.#revoke(record);
    const problems = [unlocked, problem, failure].filter((each) => each !== undefined);
    return { isRevoked: failure === undefined, ...(problems.length > 0 && { error: logOutError(problems) }) };
  }

  /** Deletes the tokens here and in the store, and returns them. The store may hold newer ones of another process. */
  async #takeOut(): Promise<TakenTokens> {
    const { store, storeKey } = this.#options;
    const known = this.#record;
    this.#clear();
    // A store that cannot be read must not prevent the logout.
    const record = parseTokenRecord(await store.get(storeKey).catch(() => undefined)) ?? known;
    const text = "The tokens are forgotten here, and may remain in the credential store";
    const problem = await store.delete(storeKey).then(
      () => undefined,
      (cause: unknown) => ({ text, cause }),
    );
    return { record, problem };
  }

  async #revoke(record: TokenRecord): Promise<LogOutProblem | undefined> {
    const { clients, fetch } = this.#options;
    try {
      const server = await this.#discoverServer(record.issuer);
      await revokeTokens(record, { server, client: await clients.known(server), fetch });
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

  /** Deletes the tokens, here and in the store. */
  async forget(): Promise<void> {
    this.#clear();
    await this.#options.store.delete(this.#options.storeKey);
  }

  #clear(): void {
    this.#record = undefined;
    this.#binding = undefined;
    this.#anonymous = crypto.randomUUID();
    // A store that could not delete the tokens must not bring them back.
    this.#loading = Promise.resolve();
  }

  #load(): Promise<void> {
    this.#loading ??= this.#readStore().catch((cause: unknown) => {
      this.#loading = undefined;
      throw authorizationFailed("The credential store could not be read", cause);
    });
    return this.#loading;
  }

  async #readStore(): Promise<void> {
    const { store, storeKey } = this.#options;
    const since = this.#anonymous;
    await this.#adopt(parseTokenRecord(await store.get(storeKey)), since);
  }

  /** Uses tokens of the store, unless a login or a logout came after `since`, the value of `#anonymous` before they were read. */
  async #adopt(record: TokenRecord | undefined, since: string): Promise<void> {
    const dpopKey = record?.dpopKey;
    const binding = dpopKey && (await DpopBinding.restore(dpopKey, this.#options.now));
    if (this.#anonymous !== since) return;
    this.#binding = binding;
    // A bound token cannot be used without its key.
    this.#record = dpopKey && !binding ? undefined : record;
  }

  async #keep(record: TokenRecord): Promise<void> {
    const { store, storeKey } = this.#options;
    this.#record = record;
    this.#anonymous = crypto.randomUUID();
    await store.set(storeKey, JSON.stringify(record));
    // A logout that did not get the lock came meanwhile.
    if (this.#record !== record) await store.delete(storeKey);
  }

  #expiresSoon({ expiresAt }: TokenRecord): boolean {
    return expiresAt !== undefined && this.#options.now() >= expiresAt - EXPIRY_SKEW_MS;
  }

  /**
   * Returns the refreshed token. If the refresh fails, returns the old token until it expires. Undefined afterwards: the call is
   * then sent without a token, and the server's challenge starts a login. `record` must have an expiry.
   */
  async #refreshOrDrop(record: TokenRecord): Promise<TokenRecord | undefined> {
    const isUsable = () => this.#record === record && this.#options.now() < (record.expiresAt as number);
    try {
      const refreshed = await this.#refresh(record, await this.#discoverServer(record.issuer));
      return refreshed ?? (isUsable() ? record : undefined);
    } catch (cause) {
      if (isUsable()) return record;
      throw authorizationFailed("The access token could not be refreshed", cause);
    }
  }

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

  async #obtain(refusal: RefusedCall, signal: AbortSignal): Promise<Renewed> {
    const { parameters = {} } = refusal.challenge ?? {};
    const found = await discoverResource(this.url, parameters.resource_metadata, this.#options.fetch);
    const server = await this.#discoverServer(await this.#options.clients.chooseIssuer(found.issuers));
    // Tokens of another authorization server are not refreshed, and their scopes are not asked for again.
    const record = this.#record?.issuer === server.issuer ? this.#record : undefined;
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
    const dpop = this.#wantsDpop(found, server, refusal.challenge) ? await this.#bindingOrNew() : undefined;
    return { record: await this.#grant({ resource: found.resource, server, scopes, signal, dpop }), by: "login" };
  }

  async #grant(request: Omit<GrantRequest, "fetch">): Promise<TokenRecord> {
    const { grant, fetch, now, store, storeKey, clients } = this.#options;
    const { server, resource, dpop } = request;
    try {
      const granted = await grant.obtain({ ...request, fetch });
      const owner = {
        ...{ issuer: server.issuer, clientId: granted.client.clientId, resource, requestedScopes: granted.scopes },
        login: crypto.randomUUID(),
        dpopKey: dpop && (await dpop.exportKey()),
      };
      const record = tokenRecord(owner, granted.tokens, now());
      // A refresh in progress stores its tokens first, so that those of the login replace them.
      await store.withLock(storeKey, async () => {
        this.#binding = dpop;
        await this.#keep(record);
      });
      return record;
    } catch (error) {
      if (hasCode(error, "invalid_client")) {
        await clients.forget(server.issuer);
        await store.withLock(storeKey, () => this.forget());
      }
      throw withoutMetadata(server, error);
    }
  }

  /**
   * Refreshes a token. Undefined if there is no refresh token, the server has revoked it, or a logout has emptied the store.
   * Holds the store's lock, since a refresh token may work only once and another process may have used it.
   */
  #refresh(record: TokenRecord, server: DiscoveredServer): Promise<TokenRecord | undefined> {
    const { store, storeKey } = this.#options;
    return store.withLock(storeKey, async () => {
      // The tokens were replaced or forgotten while this call waited for the lock.
      if (this.#record !== record) return this.#record;
      const since = this.#anonymous;
      const text = await store.get(storeKey);
      const stored = parseTokenRecord(text);
      if (stored?.accessToken === record.accessToken) return this.#requestRefresh(record, server, text);
      // client-auth:log-out: a refresh here would undo the logout of another call or process.
      await this.#adopt(stored, since);
      return this.#record;
    });
  }

  /** Has no abort signal: the server may have rotated the refresh token already, and only its answer has the new one. */
  async #requestRefresh(
    record: TokenRecord,
    server: DiscoveredServer,
    stored: string | undefined,
  ): Promise<TokenRecord | undefined> {
    const { clients, fetch, now } = this.#options;
    const { refreshToken, resource } = record;
    const dpop = this.#binding;
    const client = await clients.known(server);
    if (refreshToken === undefined || client?.clientId !== record.clientId) return undefined;
    const parameters = { refresh_token: refreshToken, resource };
    try {
      const grantType = "refresh_token";
      const issued = await requestTokens({ server, client, grantType, parameters, fetch, dpop });
      const refreshed = tokenRecord(record, issued, now(), record);
      // client-auth:log-out:locked: the user logged out without the lock that this refresh holds.
      if (this.#record !== record) await this.#revoke(refreshed);
      else if (!(await this.#isReplaced(stored))) await this.#keep(refreshed);
      return this.#record;
    } catch (error) {
      if (hasCode(error, "invalid_client")) await clients.forget(server.issuer);
      else if (!hasCode(error, "invalid_grant")) throw error;
      if (!(await this.#isReplaced(stored))) await this.forget();
      return this.#record;
    }
  }

  /**
   * Adopts the stored tokens if another process has replaced them during a refresh. That happens if this process was suspended
   * and another one took its lock over. A store that cannot be read has not replaced them.
   */
  async #isReplaced(before: string | undefined): Promise<boolean> {
    const { store, storeKey } = this.#options;
    const since = this.#anonymous;
    const found = await store.get(storeKey).catch(() => before);
    if (found === before && this.#anonymous === since) return false;
    await this.#adopt(parseTokenRecord(found), since);
    return true;
  }

  async #discoverServer(issuer: string): Promise<DiscoveredServer> {
    const { fetch, now } = this.#options;
    const kept = this.#server;
    if (kept?.found.issuer === issuer && now() < kept.until) return kept.found;
    const found = await discoverAuthorizationServer(issuer, fetch);
    this.#server = { found, until: now() + METADATA_TTL_MS };
    return found;
  }

  async #bindingOrNew(): Promise<DpopBinding> {
    return this.#binding ?? (await DpopBinding.create(this.#options.now));
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

  #scopesRequired(challenge: Challenge | undefined): AuthorizationRequiredError {
    const { record, url } = { record: this.#record, url: this.url };
    const scopes = unionScopes(record?.requestedScopes ?? [], parseScope(challenge?.parameters.scope));
    const message = `${this.#name} wants the scopes ${joinScopes(scopes)}; with \`stepUp: "login"\` the client asks for them`;
    return new AuthorizationRequiredError(message, {
      ...{ reason: "scopes", scopes, issuer: record?.issuer, resource: record?.resource ?? url.href },
    });
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
