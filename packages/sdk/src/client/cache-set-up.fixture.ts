/** Set-up for tests of the cache: a server with one list, and a store that can be made to fail. */
import { vi } from "vitest";
import type { JsonObject } from "../runtime/json.js";
import type { CacheableMethods } from "./cache-key.js";
import { type CacheStore, InMemoryCacheStore } from "./cache-store.js";
import { type CacheCall, type ClientCacheOptions, ResultCache } from "./result-cache.js";

/** No methods besides the specification's. */
export const NO_METHODS: CacheableMethods = { definitionOf: () => undefined, changedBy: () => [] };

export const kept = { resultType: "complete", ttlMs: 100, cacheScope: "private" };

/** One call, and whether the server was asked. */
interface Listed {
  readonly result: JsonObject;
  readonly wasAsked: boolean;
}

export interface CacheSetUp {
  readonly cache: ResultCache;
  readonly clock: { now: number };
  /** The errors that the cache has reported. */
  readonly errors: Error[];
  /** Lists tools. `answer` is the server's answer to a request. */
  list(
    answer: JsonObject | Error | (() => JsonObject),
    call?: Partial<CacheCall>,
    params?: JsonObject,
  ): Promise<Listed>;
}

/** A cache over a server that gives the answers of the test. Its clock stands still. */
export function setUpCache(options: ClientCacheOptions = {}): CacheSetUp {
  const clock = { now: 1_000 };
  const errors: Error[] = [];
  const cache = new ResultCache(
    { now: () => clock.now, ...options },
    { capabilities: {} },
    NO_METHODS,
    (error) => void errors.push(error),
  );
  const list: CacheSetUp["list"] = async (answer, call = {}, params = {}) => {
    const send = vi.fn(async () => {
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer() : answer;
    });
    const query = { revision: "2026-07-28", method: "tools/list", params } as const;
    const result = cache.keeps(query) ? await cache.request(query, { sentHeaders: [], ...call }, send) : await send();
    return { result, wasAsked: send.mock.calls.length > 0 };
  };
  return { cache, clock, errors, list };
}

/** A store whose methods can be made to fail. */
export function brittleStore(): { store: CacheStore; broken: Set<keyof CacheStore> } {
  const store = new InMemoryCacheStore();
  const broken = new Set<keyof CacheStore>();
  const guarded = async <Value>(method: keyof CacheStore, run: () => Value) => {
    if (broken.has(method)) throw new Error(`${method} is down`);
    return run();
  };
  const brittle: CacheStore = {
    get: (group, key) => guarded("get", () => store.get(group, key)),
    set: (group, key, entry) => guarded("set", () => store.set(group, key, entry)),
    delete: (group, key) => guarded("delete", () => store.delete(group, key)),
    deleteGroup: (group) => guarded("deleteGroup", () => store.deleteGroup(group)),
  };
  return { store: brittle, broken };
}
