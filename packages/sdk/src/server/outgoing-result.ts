/** Rules for results that shapes do not express. They hold for results of registrations, handlers and middleware. */

import { metaComplaint } from "../protocol/meta-keys.js";
import type { RequestSpec } from "../protocol/method-spec.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";

/** The fault of an outgoing result; undefined if it is valid. `spec` is undefined for methods outside the specification. */
export function outgoingComplaint(
  result: JsonObject,
  spec: RequestSpec | undefined,
  isCacheable: boolean,
): string | undefined {
  const complaint = metaComplaint(result._meta);
  if (complaint !== undefined) return `result.${complaint}`;
  if (isCacheable && result.ttlMs !== undefined && !isTtl(result.ttlMs)) {
    return `result.ttlMs: expected a whole number from 0, got ${String(result.ttlMs)}`;
  }
  if (!spec) return undefined;
  if (Array.isArray(result.content)) return complaintAbout(result.content, "content");
  if (Array.isArray(result.messages)) return complaintAbout(result.messages, "messages", "content");
  if (!Array.isArray(result.contents)) return undefined;
  if (result.contents.length === 0) {
    return "result.contents: expected at least one; return undefined for a resource that does not exist";
  }
  return complaintAbout(result.contents, "contents");
}

/** The fault of the first invalid `_meta` in a list: of the items, or of their member `inner`. */
function complaintAbout(items: readonly unknown[], field: string, inner?: string): string | undefined {
  for (let index = 0; index < items.length; index++) {
    const item: unknown = items[index];
    const holder = inner !== undefined && isJsonObject(item) ? item[inner] : item;
    const complaint = isJsonObject(holder) && holder._meta !== undefined ? metaComplaint(holder._meta) : undefined;
    if (complaint !== undefined)
      return `result.${field}[${index}]${inner === undefined ? "" : `.${inner}`}.${complaint}`;
  }
  return undefined;
}

function isTtl(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
