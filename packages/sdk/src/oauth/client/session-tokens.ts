/**
 * The tokens of one session, in memory and in a store that other processes may share. Decides which of the two hold: a logout here or
 * there, a login of another process, a lock that another process has taken over. It requests and revokes no tokens.
 */
import type { CredentialStore } from "./credential-store.js";
import { DpopBinding } from "./dpop-binding.js";
import { authorizationFailed } from "./oauth-response.js";
import { expiresSoon, parseTokenRecord, type TokenRecord } from "./token-record.js";

export interface SessionTokensOptions {
  readonly store: CredentialStore;
  readonly storeKey: string;
  readonly now: () => number;
}

/** The tokens that a logout has taken out. */
export interface TakenTokens {
  readonly record: TokenRecord | undefined;
  readonly problem: LogOutProblem | undefined;
}

/** A reason why tokens may work after a logout. */
export interface LogOutProblem {
  readonly text: string;
  readonly cause?: unknown;
}

export class SessionTokens {
  readonly #options: SessionTokensOptions;
  #loading: Promise<void> | undefined;
  #record: TokenRecord | undefined;
  #binding: DpopBinding | undefined;
  /** Identity of calls without a login. Replaced by every login and logout, so that no cached result outlives one. */
  #anonymous: string = crypto.randomUUID();
  /** Id of the login whose tokens were deleted last. A store, or a late refresh of another process, must not bring it back. */
  #forgotten: string | undefined;

  constructor(options: SessionTokensOptions) {
    this.#options = options;
  }

  /** The tokens to use. Undefined before `load`, and without a login. */
  get record(): TokenRecord | undefined {
    return this.#record;
  }

  /** The key that the tokens were requested for. Undefined without DPoP. */
  get binding(): DpopBinding | undefined {
    return this.#binding;
  }

  /** The id of the login, or of the time without one. */
  get identity(): string {
    return this.#record?.login ?? this.#anonymous;
  }

  /** Reads the store once. @throws {SdkError} `authorization-failed` if that fails; the next call reads it again. */
  load(): Promise<void> {
    this.#loading ??= this.#read().catch((cause: unknown) => {
      this.#loading = undefined;
      throw authorizationFailed("The credential store could not be read", cause);
    });
    return this.#loading;
  }

  /** Runs `run` while no other process changes the stored tokens. */
  withLock<T>(run: () => Promise<T>): Promise<T> {
    return this.#options.store.withLock(this.#options.storeKey, run);
  }

  /** Adopts tokens that another process has stored since the last look. Undefined if none of them can be sent as it is. */
  async adoptNewer(): Promise<TokenRecord | undefined> {
    const { store, storeKey, now } = this.#options;
    const since = this.#anonymous;
    const stored = parseTokenRecord(await store.get(storeKey));
    const isKnown = stored?.accessToken === this.#record?.accessToken || stored?.login === this.#forgotten;
    if (stored === undefined || isKnown) return undefined;
    await this.#adopt(stored, since);
    return this.#record === stored && !expiresSoon(stored, now()) ? stored : undefined;
  }

  /** Returns the store's text for these tokens. If the store holds others or none, adopts those, and returns undefined. */
  async confirm(record: TokenRecord): Promise<string | undefined> {
    const { store, storeKey } = this.#options;
    const since = this.#anonymous;
    const text = await store.get(storeKey);
    const stored = parseTokenRecord(text);
    if (stored?.accessToken === record.accessToken) return text;
    // client-auth:log-out: a refresh would undo the logout of another call or process.
    await this.#adopt(stored, since);
    return undefined;
  }

  /**
   * Adopts the stored tokens if another process has replaced them since `confirm` returned `before`. That happens if this process was
   * suspended and another one took its lock over. A store that cannot be read has not replaced them.
   */
  async isReplaced(before: string): Promise<boolean> {
    const { store, storeKey } = this.#options;
    const since = this.#anonymous;
    const found = await store.get(storeKey).catch(() => before);
    if (found === before && this.#anonymous === since) return false;
    await this.#adopt(parseTokenRecord(found), since);
    return true;
  }

  /** Uses and stores the tokens of a login or a refresh. */
  async keep(record: TokenRecord, binding: DpopBinding | undefined): Promise<void> {
    const { store, storeKey } = this.#options;
    this.#binding = binding;
    this.#record = record;
    this.#anonymous = crypto.randomUUID();
    await store.set(storeKey, JSON.stringify(record));
    // A logout that did not get the lock came meanwhile.
    if (this.#record !== record) await store.delete(storeKey);
  }

  /** Deletes the tokens, here and in the store. */
  async forget(): Promise<void> {
    this.#clear();
    await this.#options.store.delete(this.#options.storeKey);
  }

  /** Deletes the tokens here and in the store, and returns them. The store may hold newer ones of another process. */
  async takeOut(): Promise<TakenTokens> {
    const { store, storeKey } = this.#options;
    const known = this.#record;
    this.#clear();
    // A store that cannot be read must not prevent the logout.
    const record = parseTokenRecord(await store.get(storeKey).catch(() => undefined)) ?? known;
    this.#forgotten = record?.login ?? this.#forgotten;
    const text = "The tokens are forgotten here, and may remain in the credential store";
    const problem = await store.delete(storeKey).then(
      () => undefined,
      (cause: unknown) => ({ text, cause }),
    );
    return { record, problem };
  }

  async #read(): Promise<void> {
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

  #clear(): void {
    this.#forgotten = this.#record?.login ?? this.#forgotten;
    this.#record = undefined;
    this.#binding = undefined;
    this.#anonymous = crypto.randomUUID();
    // A store that could not delete the tokens must not bring them back.
    this.#loading = Promise.resolve();
  }
}
