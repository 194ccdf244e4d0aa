/** How long and for whom a result may be kept. Modern only. */

/** Whether anybody may reuse a result, or only whoever was authorized to ask for it. */
export type CacheScope = "public" | "private";

/** The hints that the six cacheable results carry. */
export interface CacheHint {
  /** For how many milliseconds the result stays fresh; 0 means not at all. */
  ttlMs?: number | undefined;
  cacheScope?: CacheScope | undefined;
}
