/** Results kept for as long as their server allows, and forgotten when it says that they changed. Keeps them in a CacheStore. */
import type { ClientIdentity } from "../era/era-codec.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError, type SdkErrorCode } from "../errors/sdk-error.js";
import type { CacheHint } from "../protocol/caching.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { JsonObject } from "../protocol/json.js";
import { eraOf } from "../protocol/revisions.js";
import { createErrorCallback } from "../runtime/error-callback.js";
import { isPromiseLike } from "../runtime/maybe-promise.js";
import { UNBOUNDED } from "../wire/json-limits.js";
import { parseJson, serializeJson } from "../wire/json-text.js";
import {
  addressOf,
  type CacheAddress,
  type CacheQuery,
  groupsChangedBy,
  isKeepable,
  requestIdentity,
} from "./cache-key.js";
import { type CacheEntry, type CacheStore, InMemoryCacheStore } from "./cache-store.js";
import type { CallStep, ConnectionCall, SendCall } from "./client-call.js";

export interface ClientCacheOptions {
  /** Store of the results. @defaultValue an `InMemoryCacheStore` of this client */
  readonly store?: CacheStore | undefined;
  /**
   * Name of the server. Clients that share a store share results under one name.
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
  /** Serve a stale result if the server cannot be reached in time, and report to `onError`. @defaultValue false */
  readonly staleOnError?: boolean | undefined;
  /** Clock, in milliseconds. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

/** Those of a client's options that are about its cache. */
export interface CacheSettings {
  readonly cache?: boolean | ClientCacheOptions | undefined;
  readonly onError?: ((error: Error) => void) | undefined;
}

/** What the cache is told of the call that asks. */
export interface CacheCall {
  /** Ask the server whatever is kept. */
  readonly fresh?: boolean;
  readonly signal?: AbortSignal;
  /** The headers that the request goes out with, later layers above earlier ones; undefined where they are not known. */
  readonly sentHeaders: readonly Readonly<Record<string, string>>[] | undefined;
}

/** One question under way. It is spoiled when its answer may be from before a change. */
interface Fetch {
  readonly group: string;
  isSpoiled: boolean;
}

/** How many changes a slow or failing store may be behind. */
const MAX_UNFORGOTTEN = 10_000;
const MAX_UNFORGOTTEN_CHARACTERS = 4_194_304;

/** The failures that say nothing about the question. */
const UNREACHABLE: ReadonlySet<SdkErrorCode> = new Set(["connection-closed", "request-timeout"]);

export class ResultCache {
  readonly #store: CacheStore;
  readonly #options: ClientCacheOptions;
  readonly #onError: (error: Error) => void;
  readonly #server: string;
  readonly #identity: Pick<ClientIdentity, "capabilities">;
  #declared: string | undefined;
  readonly #self = crypto.randomUUID();
  /** Not part of any key, so that a store cannot try out credentials. */
  readonly #salt = crypto.randomUUID();
  readonly #fetches = new Set<Fetch>();
  /** Groups that the store should have forgotten and may not have: they are not read. The server names them. */
  readonly #unforgotten = new Set<string>();
  #unforgottenCharacters = 0;
  /** The store is too slow or broken to keep up with the server's changes: nothing is read from it or written to it. */
  #isGivenUp = false;

  constructor(
    options: ClientCacheOptions,
    identity: Pick<ClientIdentity, "capabilities">,
    onError: (error: Error) => void,
  ) {
    this.#options = options;
    this.#store = options.store ?? new InMemoryCacheStore();
    this.#server = options.serverKey ?? this.#self;
    this.#identity = identity;
    this.#onError = onError;
  }

  /** A step of a call: serves it from the cache if it can. */
  readonly serve: CallStep<ConnectionCall> = (call, next) => {
    const { revision } = call.connection.negotiated;
    // Legacy results carry no hints, and look different from modern ones that a shared store may hold.
    if (eraOf(revision) === "legacy") return next(call);
    const query = { revision, method: call.method, params: call.params };
    return this.keeps(query) ? this.#serveKept(query, call, next) : next(call);
  };

  /** Reads the headers once, so that a result is kept for the identity that its request was sent under. */
  async #serveKept(query: CacheQuery, call: ConnectionCall, next: SendCall<ConnectionCall>): Promise<JsonObject> {
    const { options, connection } = call;
    const connectionHeaders = await connection.connectionHeaders();
    const sentHeaders = connectionHeaders && [connectionHeaders, options.headers ?? {}];
    const sent =
      connection.carriesHeaders && connectionHeaders ? { ...call, options: { ...options, connectionHeaders } } : call;
    return this.request(query, { ...options, sentHeaders }, () => next(sent));
  }

  /** Whether the answer may be kept, or may have been. */
  keeps(query: CacheQuery): boolean {
    return !this.#isGivenUp && isKeepable(query);
  }

  /** The kept answer if it is fresh, or else what `send` brings. */
  async request(query: CacheQuery, call: CacheCall, send: () => Promise<JsonObject>): Promise<JsonObject> {
    const authorization = await this.#authorization(call);
    this.#declared ??= serializeJson(this.#identity.capabilities);
    const address = addressOf(query, { server: this.#server, authorization, declared: this.#declared });
    const fetch: Fetch = { group: address.group, isSpoiled: false };
    this.#fetches.add(fetch);
    try {
      const found = call.fresh ? undefined : await this.#read(address);
      const kept = fetch.isSpoiled ? undefined : newest(found ?? []);
      const result = kept && this.#isFresh(kept) && !call.signal?.aborted ? this.#open(kept) : undefined;
      if (result) return result;
      fetch.isSpoiled = false;
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

  /** Forgets what a notification makes stale. From the moment of the call on nothing of it is served. */
  notified(method: string, params: JsonObject): void {
    if (this.#isGivenUp) return;
    for (const group of groupsChangedBy(this.#server, method, params)) {
      for (const fetch of this.#fetches) if (fetch.group === group) fetch.isSpoiled = true;
      void this.#forget(group);
    }
  }

  /** @throws the error that it was given, unless a stale result may stand in for the answer. */
  async #recover(
    { method, params }: CacheQuery,
    fetch: Fetch,
    kept: CacheEntry | undefined,
    error: unknown,
  ): Promise<JsonObject> {
    // A list whose cursor is no longer known has been cut anew: its other pages are of no use either.
    if (params.cursor !== undefined && isInvalidParams(error)) await this.#forget(fetch.group);
    if (!this.#options.staleOnError || fetch.isSpoiled || !isUnreachable(error)) throw error;
    const stale = kept && this.#open(kept);
    if (!stale) throw error;
    this.#onError(new SdkError(error.code, `${method} failed: its last result is served, stale`, { cause: error }));
    return stale;
  }

  async #read({ group, keys }: CacheAddress): Promise<readonly CacheEntry[] | undefined> {
    if (this.#isGivenUp || this.#unforgotten.has(group)) return undefined;
    try {
      const found = [keys.private, keys.public].map((key) => key !== undefined && this.#store.get(group, key));
      const entries = (await Promise.all(found)).map((entry) => entry || undefined);
      return entries.filter((entry) => entry !== undefined);
    } catch (cause) {
      this.#report("read", group, cause);
      return undefined;
    }
  }

  /** Puts the answer in the place of whatever was kept for this question, or nothing if it must not be kept. */
  async #keep({ group, keys }: CacheAddress, fetch: Fetch, answer: JsonObject, wasEmpty: boolean): Promise<void> {
    const { ttlMs = 0, cacheScope = "private" }: CacheHint = answer;
    const mayKeep = answer.resultType === "complete" && ttlMs > 0;
    const receivedAt = this.#now();
    if (this.#unforgotten.has(group)) await this.#forget(group);
    if (fetch.isSpoiled || this.#isGivenUp) return;
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
      // The store may have written after it forgot what changed meanwhile.
      if (fetch.isSpoiled) await this.#forget(group);
    } catch (cause) {
      // What was kept before may still be there, and is not the last answer any more.
      this.#distrust(group);
      this.#report("write", group, cause);
    }
  }

  async #forget(group: string): Promise<void> {
    this.#distrust(group);
    try {
      const deleting = this.#store.deleteGroup(group);
      // A burst of changes must not look like a backlog of a store that has none.
      if (isPromiseLike(deleting)) await deleting;
      if (this.#unforgotten.delete(group)) this.#unforgottenCharacters -= group.length;
    } catch (cause) {
      this.#report("forget", group, cause);
    }
  }

  #distrust(group: string): void {
    if (this.#unforgotten.has(group)) return;
    this.#unforgotten.add(group);
    this.#unforgottenCharacters += group.length;
    const isWithin =
      this.#unforgotten.size <= MAX_UNFORGOTTEN && this.#unforgottenCharacters <= MAX_UNFORGOTTEN_CHARACTERS;
    if (isWithin || this.#isGivenUp) return;
    this.#isGivenUp = true;
    this.#onError(
      new SdkError("handler-failed", "The cache's store does not forget changed results in time: it is no longer used"),
    );
  }

  /** An entry from the future is from a clock that was set back; how old it is nobody knows. */
  #isFresh({ receivedAt, ttlMs }: CacheEntry): boolean {
    const now = this.#now();
    return receivedAt <= now && now < receivedAt + ttlMs;
  }

  #open({ text }: CacheEntry): JsonObject | undefined {
    // What was kept is what a result was serialized to, which had passed the limits of its connection.
    const parsed = parseJson(text, UNBOUNDED);
    if (parsed.ok) return parsed.value as JsonObject;
    this.#onError(parsed.error);
    return undefined;
  }

  /** Undefined where nobody can tell whom the request is made for. */
  async #authorization({ sentHeaders }: CacheCall): Promise<string | undefined> {
    const named = this.#options.authContext?.();
    const [connection = {}, call = {}] = sentHeaders ?? [];
    // The name is about the connection. Headers of the call may stand for somebody else.
    if (named !== undefined) {
      return Object.keys(call).length === 0 ? named : `${named} ${await requestIdentity([call], this.#salt)}`;
    }
    return sentHeaders && `${this.#self} ${await requestIdentity([connection, call], this.#salt)}`;
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #report(verb: string, group: string, cause: unknown): void {
    this.#onError(new SdkError("handler-failed", `The cache's store failed to ${verb} ${group}`, { cause }));
  }
}

/** The cache that a client's options ask for. */
export function openCache(
  { cache = false, onError = console.error }: CacheSettings,
  identity: Pick<ClientIdentity, "capabilities">,
): ResultCache | undefined {
  return cache ? new ResultCache(cache === true ? {} : cache, identity, createErrorCallback(onError)) : undefined;
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
