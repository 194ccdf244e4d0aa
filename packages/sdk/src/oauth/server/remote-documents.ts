/**
 * Fetches JSON documents of other hosts through the guarded fetch, once per URL at a time, and caches them by their headers. If too
 * many fetches are in progress, the network with the most of them loses its oldest one to a network with fewer.
 */
import { siteOf } from "../../hosting/http/client-address.js";
import { BoundedMap } from "../../runtime/bounded-map.js";
import type { GuardedFetch } from "../grammar/guarded-fetch.js";
import { OAuthError } from "../grammar/oauth-error.js";

export interface RemoteDocumentsOptions {
  /** The guarded fetch: it bounds the time, the bytes, the redirects and the addresses. */
  readonly fetch: GuardedFetch;
  readonly now: () => number;
}

export interface DocumentRequest {
  /** The address of the client that the document is fetched for. */
  readonly address?: string | undefined;
  /** The greatest age of a cached document. @defaultValue Infinity */
  readonly maxAgeMs?: number | undefined;
}

interface RunningFetch {
  readonly document: Promise<unknown>;
  /** The network that the fetch counts for. */
  network: string;
  abort(): void;
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
  readonly #fetches = new Map<string, RunningFetch>();

  constructor(options: RemoteDocumentsOptions) {
    this.#options = options;
  }

  /**
   * Returns the document at a URL.
   * @throws {OAuthError} `temporarily_unavailable` if too many fetches are in progress, and no network has more than the caller's
   * @throws {Error} if the fetch fails, is refused by the guard, or yields no JSON
   */
  async get(url: string, request: DocumentRequest = {}): Promise<unknown> {
    const { address, maxAgeMs = Number.POSITIVE_INFINITY } = request;
    const cached = this.#cache.get(url);
    const now = this.#options.now();
    if (cached && now < cached.freshUntil && now - cached.fetchedAt < maxAgeMs) return cached.value;
    const network = address === undefined ? "" : siteOf(address);
    const running = this.#fetches.get(url);
    if (running === undefined) return this.#start(url, network);
    // A network with many fetches must not take along those that others wait for.
    if (this.#countOf(network) < this.#countOf(running.network)) running.network = network;
    return running.document;
  }

  /** Removes a document from the cache, so that the next `get` fetches it again. */
  forget(url: string): void {
    this.#cache.delete(url);
  }

  #start(url: string, network: string): Promise<unknown> {
    if (this.#fetches.size >= MAX_FETCHES) this.#makeRoom(network);
    const controller = new AbortController();
    const { signal } = controller;
    const document = this.#fetch(url, signal)
      .catch((error: unknown) => {
        throw signal.aborted ? signal.reason : error;
      })
      .finally(() => {
        if (this.#fetches.get(url) === running) this.#fetches.delete(url);
      });
    const running: RunningFetch = { document, network, abort: () => controller.abort(tooMany()) };
    this.#fetches.set(url, running);
    return document;
  }

  /** Aborts the oldest fetch of the network with the most, if that network then still has as many as the caller's. */
  #makeRoom(network: string): void {
    const networks = [...this.#fetches.values()].map((running) => running.network);
    const counts = new Map<string, number>();
    for (const each of networks) counts.set(each, (counts.get(each) ?? 0) + 1);
    const most = Math.max(...counts.values());
    if (most <= (counts.get(network) ?? 0) + 1) throw tooMany();
    for (const [url, running] of this.#fetches) {
      if (counts.get(running.network) !== most) continue;
      this.#fetches.delete(url);
      running.abort();
      return;
    }
  }

  #countOf(network: string): number {
    return [...this.#fetches.values()].filter((running) => running.network === network).length;
  }

  async #fetch(url: string, signal: AbortSignal): Promise<unknown> {
    const response = await this.#options.fetch(url, {
      signal,
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

function tooMany(): OAuthError {
  const advice = "too many documents are being fetched; try again later";
  return new OAuthError("temporarily_unavailable", advice, { status: 503 });
}

/** How long a response may be cached: its `max-age`, at most a day; five minutes without `max-age`. */
function freshMs(cacheControl: string | null): number {
  const directives = cacheControl?.toLowerCase() ?? "";
  if (/\bno-(?:store|cache)\b/.test(directives)) return 0;
  const maxAge = /\bmax-age=(\d{1,9})\b/.exec(directives)?.[1];
  return maxAge === undefined ? DEFAULT_AGE_MS : Math.min(Number(maxAge) * 1_000, MAX_AGE_MS);
}
