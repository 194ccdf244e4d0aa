/** Filters lists by the scopes of their caller (`scopedLists`). */
import type { JsonObject } from "../runtime/json.js";
import { holdsScopes } from "../transport/caller.js";
import type { ServerContext } from "./server-context.js";

/** `show` lists every item, so that clients can ask their user for more scopes. `filter` lists what the caller may use. */
export type ScopedLists = "show" | "filter";

export type ItemFilter = (item: { readonly scopes: readonly string[] }) => boolean;

/** A filter for the items that the caller may use; undefined if every item is listed. */
export function listFilter(lists: ScopedLists, { caller }: Pick<ServerContext, "caller">): ItemFilter | undefined {
  if (lists === "show" || caller === undefined) return undefined;
  return ({ scopes }) => holdsScopes(caller, scopes);
}

/** Marks a filtered page as private, so that shared caches do not serve it to other callers. */
export function privatePage(page: JsonObject, isListed: ItemFilter | undefined, context: ServerContext): JsonObject {
  return isListed && context.era === "modern" ? { ...page, cacheScope: "private" } : page;
}
