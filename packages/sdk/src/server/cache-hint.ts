/** Cache hints as authors give them. */
import { SdkError } from "../errors/sdk-error.js";
import type { CacheHint } from "../protocol/caching.js";

/** @throws {SdkError} `invalid-argument` for a time that no client could follow. */
export function checkCacheHint(hint: CacheHint | undefined, owner: string): void {
  const ttlMs = hint?.ttlMs ?? 0;
  if (Number.isSafeInteger(ttlMs) && ttlMs >= 0) return;
  throw new SdkError("invalid-argument", `${owner}: cache.ttlMs: expected a whole number from 0, got ${ttlMs}`);
}
