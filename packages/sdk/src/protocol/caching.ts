/** Cache hints of results: lifetime and scope. Modern only. */

/** `public` results may be reused for anybody, `private` ones only for the caller that was authorized. */
export type CacheScope = "public" | "private";

/** The hints that the six cacheable results carry. */
export interface CacheHint {
  /** For how many milliseconds the result stays fresh; 0 means not at all. */
  ttlMs?: number | undefined;
  cacheScope?: CacheScope | undefined;
}
