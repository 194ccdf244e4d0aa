/** Lists whose items need scopes: all of them, or those that the caller may use. */
import type { JsonObject } from "../runtime/json.js";
import { holdsScopes } from "../transport/caller.js";
import type { ServerContext } from "./server-context.js";

/** `show` lists every item, so that clients can ask their user for more scopes; `filter` leaves out the others. */
export type ScopedLists = "show" | "filter";

export type ItemFilter = (item: { readonly scopes: readonly string[] }) => boolean;

/** Accepts the items that the caller may use; undefined if all are listed. */
export function listFilter(lists: ScopedLists, { caller }: Pick<ServerContext, "caller">): ItemFilter | undefined {
  if (lists === "show" || caller === undefined) return undefined;
  return ({ scopes }) => holdsScopes(caller, scopes);
}

/** A page that was filtered is its caller's own: a shared cache would hand it to others. */
export function privatePage(page: JsonObject, isListed: ItemFilter | undefined, context: ServerContext): JsonObject {
  return isListed && context.era === "modern" ? { ...page, cacheScope: "private" } : page;
}
