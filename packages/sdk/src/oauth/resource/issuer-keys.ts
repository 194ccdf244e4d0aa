/** The signing keys of one issuer. jose caches and refetches them. This module discovers their URL, and serves stale keys. */
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import { SdkError } from "../../errors/sdk-error.js";
import type { GuardedFetch } from "../grammar/guarded-fetch.js";
import { FetchedOnce } from "./fetched-once.js";
import { discoverIssuer } from "./issuer-metadata.js";

/** Tokens with an unknown key cause at most one fetch in this time. */
const COOLDOWN_MS = 30_000;
/** Keys are fetched again after this time, so that a withdrawn key is not trusted for longer. */
const MAX_AGE_MS = 600_000;
/** Keys are used for this long if the issuer does not answer. */
const MAX_STALE_MS = 3_600_000;

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly jwksUri: string | undefined;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
}

export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  readonly #keys: FetchedOnce<JWTVerifyGetKey>;
  /** The last key set that the issuer served. */
  #last: { readonly text: string; readonly at: number } | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
    this.#keys = new FetchedOnce(() => this.#open(), options.now);
  }

  /** Returns jose's function that finds a token's key. @throws {SdkError} `authorization-failed` if the keys cannot be fetched. */
  get(): Promise<JWTVerifyGetKey> {
    return this.#keys.get();
  }

  async #open(): Promise<JWTVerifyGetKey> {
    const { issuer, jwksUri = await this.#discover() } = this.#options;
    const keys = createRemoteJWKSet(new URL(jwksUri), {
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: MAX_AGE_MS,
      [customFetch]: (url, { headers, signal }) => this.#fetch(url, { headers, signal }),
    });
    try {
      await keys.reload();
    } catch (cause) {
      throw new SdkError("authorization-failed", `issuer "${issuer}": ${jwksUri} has no usable key set`, { cause });
    }
    return keys;
  }

  async #discover(): Promise<string> {
    const { issuer, fetch } = this.#options;
    const { jwks_uri: uri } = await discoverIssuer(issuer, fetch);
    if (uri !== undefined) return uri;
    const complaint = "its metadata has no jwks_uri; use introspectionVerifier for tokens that are not signed";
    throw new SdkError("authorization-failed", `issuer "${issuer}": ${complaint}`);
  }

  async #fetch(url: string, init: Parameters<GuardedFetch>[1]): Promise<Response> {
    const { fetch, now } = this.#options;
    try {
      const response = await fetch(url, init);
      if (response.status !== 200) throw new SdkError("authorization-failed", `${url}: HTTP ${response.status}`);
      const text = await response.text();
      // Throws for a response that is no key set, such as an HTML page, so that it does not replace the last key set.
      createLocalJWKSet(JSON.parse(text));
      this.#last = { text, at: now() };
    } catch (error) {
      if (this.#last === undefined || this.#last.at + MAX_STALE_MS < now()) throw error;
    }
    return new Response(this.#last.text);
  }
}
