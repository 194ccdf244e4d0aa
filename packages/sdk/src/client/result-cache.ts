/** Caches results for their `ttlMs`, and drops them when the server announces a change. A CacheStore holds the entries. */
import type { ClientIdentity } from "../era/era-codec.js";
import { checkMethods } from "../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError, type SdkErrorCode } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { CacheHint } from "../protocol/message-base.js";
import { eraOf } from "../protocol/revisions.js";
import { createErrorCallback } from "../runtime/error-callback.js";
import type { JsonObject } from "../runtime/json.js";
import { isPromiseLike } from "../runtime/maybe-promise.js";
import { UNBOUNDED } from "../wire/json-limits.js";
import { parseJson, serializeJson } from "../wire/json-text.js";
import {
  addressOf,
  type CacheAddress,
  type CacheableMethods,
  type CacheQuery,
  groupsChangedBy,
  isCacheableQuery,
  requestIdentity,
} from "./cache-key.js";
import { type CacheEntry, type CacheStore, InMemoryCacheStore } from "./cache-store.js";
import type { CallStep, ConnectionCall, SendCall } from "./client-call.js";

/** The store of a client's cache, and the identity under which it keeps results. */
export interface ClientCacheOptions {
  /** Store of the results. @defaultValue an `InMemoryCacheStore` of this client */
  readonly store?: CacheStore | undefined;
  /**
   * Name of the server in the store. Clients with the same store and the same name share results.
   * @defaultValue a random name
   */
  readonly serverKey?: string | undefined;
  /**
   * Name of the authorized user: an id, or a digest of the access token. Stores see the name, so do not return the token.
   * The cache serves private results only under the name they were received under. A connection with a `fetch` or an
   * `http` of its own needs it, since the cache does not see the credentials that these add.
   * @defaultValue this client alone, and the HTTP headers that its request is sent with; with a `fetch` or an `http`
   * nothing private is kept
   */
  readonly authContext?: (() => string | undefined) | undefined;
  /** Serve a stale result, and report to `onError`, if the server cannot be reached in time. @defaultValue false */
  readonly staleOnError?: boolean | undefined;
  /** Clock, in milliseconds. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

const OPTIONS: OptionTable<ClientCacheOptions> = {
  store: "object",
  serverKey: "string",
  authContext: "function",
  staleOnError: "boolean",
  now: "function",
};

/** The options of a client that its cache uses. */
export interface CacheSettings {
  readonly cache?: boolean | ClientCacheOptions | undefined;
  readonly onError?: ((error: Error) => void) | undefined;
}

/** The options of a call that its cache uses. */
export interface CacheCall {
  /** Ask the server even if a fresh result is cached. */
  readonly fresh?: boolean;
  readonly signal?: AbortSignal;
  /** The headers of the request, in layers of which later ones win; undefined if they are unknown. */
  readonly sentHeaders: readonly Readonly<Record<string, string>>[] | undefined;
}

/** One request in progress. */
interface Fetch {
  readonly group: string;
  /** Whether the server has announced a change since the request was sent. */
  isOutdated: boolean;
}

/** Groups that a slow or failing store may still have to delete. Beyond these bounds the cache stops using the store. */
const MAX_UNDELETED = 10_000;
const MAX_UNDELETED_CHARACTERS = 4_194_304;

/** The errors for which `staleOnError` serves a stale result. */
const UNREACHABLE: ReadonlySet<SdkErrorCode> = new Set(["connection-closed", "request-timeout"]);

export class ResultCache {
  readonly #store: CacheStore;
  readonly #options: ClientCacheOptions;
  readonly #onError: (error: Error) => void;
  readonly #server: string;
  readonly #identity: Pick<ClientIdentity, "capabilities">;
  readonly #methods: CacheableMethods;
  #declared: string | undefined;
  readonly #self = crypto.randomUUID();
  /** Secret, so that a store cannot guess credentials from their digests. */
  readonly #salt = crypto.randomUUID();
  readonly #fetches = new Set<Fetch>();
  /** Groups that the store may not have deleted yet. The cache does not read them. Bounded, since the server names them. */
  readonly #undeleted = new Set<string>();
  #undeletedCharacters = 0;
  /** Whether the cache has stopped using the store, which did not delete changed results in time. */
  #isDisabled = false;

  constructor(
    options: ClientCacheOptions,
    identity: Pick<ClientIdentity, "capabilities">,
    methods: CacheableMethods,
    onError: (error: Error) => void,
  ) {
    this.#options = options;
    this.#store = options.store ?? new InMemoryCacheStore();
    checkMethods("cache: store", this.#store, "a CacheStore", ["get", "set", "delete", "deleteGroup"]);
    this.#server = options.serverKey ?? this.#self;
    this.#identity = identity;
    this.#methods = methods;
    this.#onError = onError;
  }

  /** A step of a call: answers it from the cache if a fresh result is there. */
  readonly serve: CallStep<ConnectionCall> = (call, next) => {
    const { revision } = call.connection.negotiated;
    // Legacy results have no cache hints, and another shape than the modern results that a shared store may hold.
    if (eraOf(revision) === "legacy") return next(call);
    const query = { revision, method: call.method, params: call.params };
    return this.keeps(query) ? this.#serveCached(query, call, next) : next(call);
  };

  /** Reads the headers once, so that the result is cached under the same identity as its request is sent with. */
  async #serveCached(query: CacheQuery, call: ConnectionCall, next: SendCall<ConnectionCall>): Promise<JsonObject> {
    const { options, connection } = call;
    const connectionHeaders = await connection.connectionHeaders();
    const sentHeaders = connectionHeaders && [connectionHeaders, options.headers ?? {}];
    const sent =
      connection.carriesHeaders && connectionHeaders ? { ...call, options: { ...options, connectionHeaders } } : call;
    return this.request(query, { ...options, sentHeaders }, () => next(sent));
  }

  /** Whether the result may be in the cache. */
  keeps(query: CacheQuery): boolean {
    return !this.#isDisabled && isCacheableQuery(query, this.#methods);
  }

  /** The cached result if it is fresh, otherwise the result of `send`. */
  async request(query: CacheQuery, call: CacheCall, send: () => Promise<JsonObject>): Promise<JsonObject> {
    const authorization = await this.#authorization(call);
    this.#declared ??= serializeJson(this.#identity.capabilities);
    const address = addressOf(query, { server: this.#server, authorization, declared: this.#declared });
    const fetch: Fetch = { group: address.group, isOutdated: false };
    this.#fetches.add(fetch);
    try {
      const found = call.fresh ? undefined : await this.#read(address);
      const kept = fetch.isOutdated ? undefined : newest(found ?? []);
      const result = kept && this.#isFresh(kept) && !call.signal?.aborted ? this.#parse(kept) : undefined;
      if (result) return result;
      // The request is sent now, so its answer shows the changes that were announced so far.
      fetch.isOutdated = false;
      let answer: JsonObject;
      try {
        answer = await send();
      } catch (error) {
        return await this.#recover(query, fetch, kept, error);
      }
      if ((await this.#authorization(call)) === authorization)
        await this.#keep(address, fetch, answer, found?.length === 0);
      return answer;
    } finally {
      this.#fetches.delete(fetch);
    }
  }

  /** The identity of a request; undefined if it is unknown. */
  async #authorization({ sentHeaders }: CacheCall): Promise<string | undefined> {
    const named = this.#options.authContext?.();
    const [connection = {}, call = {}] = sentHeaders ?? [];
    // `authContext` names the user of the connection. Headers of the call may carry credentials of another user.
    if (named !== undefined) {
      return Object.keys(call).length === 0 ? named : `${named} ${await requestIdentity([call], this.#salt)}`;
    }
    return sentHeaders && `${this.#self} ${await requestIdentity([connection, call], this.#salt)}`;
  }

  /** The entries of a request, private and public. Undefined if the store is not used or fails. */
  async #read({ group, keys }: CacheAddress): Promise<readonly CacheEntry[] | undefined> {
    if (this.#isDisabled || this.#undeleted.has(group)) return undefined;
    try {
      const given = [keys.private, keys.public].filter((key) => key !== undefined);
      const found = await Promise.all(given.map((key) => this.#store.get(group, key)));
      return found.flatMap((entry) => entry || []);
    } catch (cause) {
      this.#report("read", group, cause);
      return undefined;
    }
  }

  /** An entry from the future counts as stale: the clock was set back, so its age is unknown. */
  #isFresh({ receivedAt, ttlMs }: CacheEntry): boolean {
    const now = this.#now();
    return receivedAt <= now && now < receivedAt + ttlMs;
  }

  /** The result of an entry. Undefined for a text that is no JSON. */
  #parse({ text }: CacheEntry): JsonObject | undefined {
    // The result passed the limits of its connection before it was serialized.
    const parsed = parseJson(text, UNBOUNDED);
    if (parsed.ok) return parsed.value as JsonObject;
    this.#onError(parsed.error);
    return undefined;
  }

  /** Returns the stale result if `staleOnError` allows it. @throws the given error otherwise */
  async #recover(
    { method, params }: CacheQuery,
    fetch: Fetch,
    kept: CacheEntry | undefined,
    error: unknown,
  ): Promise<JsonObject> {
    // A refused cursor means that the cached pages of the list are outdated too.
    if (params.cursor !== undefined && isInvalidParams(error)) await this.#forget(fetch.group);
    if (!this.#options.staleOnError || fetch.isOutdated || !isUnreachable(error)) throw error;
    const stale = kept && this.#parse(kept);
    if (!stale) throw error;
    this.#onError(new SdkError(error.code, `${method} failed: its last result is served, stale`, { cause: error }));
    return stale;
  }

  /** Replaces the cached result of this request, or deletes it if the new one must not be cached. */
  async #keep({ group, keys }: CacheAddress, fetch: Fetch, answer: JsonObject, wasEmpty: boolean): Promise<void> {
    const { ttlMs = 0, cacheScope = "private" }: CacheHint = answer;
    const mayKeep = answer.resultType === "complete" && ttlMs > 0;
    const receivedAt = this.#now();
    if (this.#undeleted.has(group)) await this.#forget(group);
    if (fetch.isOutdated || this.#isDisabled) return;
    try {
      const text = mayKeep ? serializeJson(answer) : "";
      await Promise.all(
        (["public", "private"] as const).map((scope) => {
          const key = keys[scope];
          if (key === undefined) return undefined;
          if (mayKeep && scope === cacheScope) return this.#store.set(group, key, { text, receivedAt, ttlMs });
          return wasEmpty ? undefined : this.#store.delete(group, key);
        }),
      );
      // A change arrived during the write: the store may have deleted the group before it wrote the entry.
      if (fetch.isOutdated) await this.#forget(group);
    } catch (cause) {
      // The store may still hold an earlier result.
      this.#markUndeleted(group);
      this.#report("write", group, cause);
    }
  }

  /** Drops the results that a notification makes stale. After this call the cache serves none of them. */
  notified(method: string, params: JsonObject): void {
    if (this.#isDisabled) return;
    for (const group of groupsChangedBy(this.#server, method, params, this.#methods)) {
      for (const fetch of this.#fetches) if (fetch.group === group) fetch.isOutdated = true;
      void this.#forget(group);
    }
  }

  /** Deletes a group. Until the store has done so, the cache does not read it. */
  async #forget(group: string): Promise<void> {
    this.#markUndeleted(group);
    try {
      const deleting = this.#store.deleteGroup(group);
      // Without the await, a burst of changes at a synchronous store does not count as a backlog.
      if (isPromiseLike(deleting)) await deleting;
      if (this.#undeleted.delete(group)) this.#undeletedCharacters -= group.length;
    } catch (cause) {
      this.#report("forget", group, cause);
    }
  }

  #markUndeleted(group: string): void {
    if (this.#undeleted.has(group)) return;
    this.#undeleted.add(group);
    this.#undeletedCharacters += group.length;
    const isWithin = this.#undeleted.size <= MAX_UNDELETED && this.#undeletedCharacters <= MAX_UNDELETED_CHARACTERS;
    if (isWithin || this.#isDisabled) return;
    this.#isDisabled = true;
    this.#onError(
      new SdkError("handler-failed", "The cache's store does not forget changed results in time: it is no longer used"),
    );
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #report(verb: string, group: string, cause: unknown): void {
    this.#onError(new SdkError("handler-failed", `The cache's store failed to ${verb} ${group}`, { cause }));
  }
}

/** Makes the cache that the options ask for. Undefined without the option `cache`. */
export function openCache(
  { cache = false, onError = console.error }: CacheSettings,
  identity: Pick<ClientIdentity, "capabilities">,
  methods: CacheableMethods,
): ResultCache | undefined {
  if (cache === false) return undefined;
  const options = cache === true ? {} : cache;
  checkOptions("cache", options, OPTIONS);
  return new ResultCache(options, identity, methods, createErrorCallback(onError));
}

function newest(entries: readonly CacheEntry[]): CacheEntry | undefined {
  const [first, second] = entries;
  return first && second && second.receivedAt > first.receivedAt ? second : first;
}

function isInvalidParams(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ErrorCode.invalidParams;
}

function isUnreachable(error: unknown): error is SdkError {
  return error instanceof SdkError && UNREACHABLE.has(error.code);
}
