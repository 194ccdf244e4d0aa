/** Fetches JSON documents of other hosts through the guarded fetch, once per URL at a time, and caches them by their headers. */

import { BoundedMap } from "../../runtime/bounded-map.js";
import type { GuardedFetch } from "../grammar/guarded-fetch.js";
import { OAuthError } from "../grammar/oauth-error.js";

export interface RemoteDocumentsOptions {
  /** The guarded fetch: it bounds the time, the bytes, the redirects and the addresses. */
  readonly fetch: GuardedFetch;
  readonly now: () => number;
}

interface CachedDocument {
  readonly value: unknown;
  readonly fetchedAt: number;
  readonly freshUntil: number;
}

const MAX_DOCUMENTS = 1_000;
const MAX_CHARACTERS = 4_194_304;
/** Concurrent fetches. A fetch holds a socket for up to ten seconds, and anybody can name a URL. */
const MAX_FETCHES = 64;
const DEFAULT_AGE_MS = 300_000;
const MAX_AGE_MS = 86_400_000;

export class RemoteDocuments {
  readonly #options: RemoteDocumentsOptions;
  readonly #cache = new BoundedMap<string, CachedDocument>({ maxEntries: MAX_DOCUMENTS, maxWeight: MAX_CHARACTERS });
  readonly #fetches = new Map<string, Promise<unknown>>();

  constructor(options: RemoteDocumentsOptions) {
    this.#options = options;
  }

  /**
   * Returns the document at a URL, not older than `maxAgeMs`.
   * @throws {OAuthError} `temporarily_unavailable` if too many fetches are in progress
   * @throws {Error} if the fetch fails, is refused by the guard, or yields no JSON
   */
  async get(url: string, maxAgeMs: number = Number.POSITIVE_INFINITY): Promise<unknown> {
    const cached = this.#cache.get(url);
    const now = this.#options.now();
    if (cached && now < cached.freshUntil && now - cached.fetchedAt < maxAgeMs) return cached.value;
    const pending = this.#fetches.get(url);
    if (pending !== undefined) return pending;
    if (this.#fetches.size >= MAX_FETCHES) {
      const advice = "too many documents are being fetched; try again later";
      throw new OAuthError("temporarily_unavailable", advice, { status: 503 });
    }
    const fetched = this.#fetch(url).finally(() => this.#fetches.delete(url));
    this.#fetches.set(url, fetched);
    return fetched;
  }

  /** Removes a document from the cache, so that the next `get` fetches it again. */
  forget(url: string): void {
    this.#cache.delete(url);
  }

  async #fetch(url: string): Promise<unknown> {
    const response = await this.#options.fetch(url, {
      headers: { accept: "application/json" },
      // A redirect would let another host speak for this one.
      redirect: "error",
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`the host answered with status ${response.status}, expected 200`);
    const value: unknown = JSON.parse(text);
    const fetchedAt = this.#options.now();
    const freshUntil = fetchedAt + freshMs(response.headers.get("cache-control"));
    this.#cache.set(url, { value, fetchedAt, freshUntil }, url.length + text.length);
    return value;
  }
}

/** How long a response may be cached: its `max-age`, at most a day; five minutes without `max-age`. */
function freshMs(cacheControl: string | null): number {
  const directives = cacheControl?.toLowerCase() ?? "";
  if (/\bno-(?:store|cache)\b/.test(directives)) return 0;
  const maxAge = /\bmax-age=(\d{1,9})\b/.exec(directives)?.[1];
  return maxAge === undefined ? DEFAULT_AGE_MS : Math.min(Number(maxAge) * 1_000, MAX_AGE_MS);
}
