/** What may serve as a request id, and when two ids mean the same request. */
import type { RequestId } from "./json-rpc.js";

/** A string or an integer that survives JSON: neither null nor fractional. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** The key to look an id up by: equal for ids with equal text, so that `"7"` and `7` meet. */
export function correlationKey(id: RequestId): RequestId {
  if (typeof id === "number") return id;
  const number = Number(id);
  return Number.isSafeInteger(number) && String(number) === id ? number : id;
}
