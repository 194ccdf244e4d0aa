/** Filters lists by the request: by the scopes of its caller (`scopedLists`), and by the `listed` functions of items. */
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../runtime/json.js";
import { isPromiseLike } from "../runtime/maybe-promise.js";
import { holdsScopes } from "../transport/caller.js";
import type { ServerContext } from "./server-context.js";

/** `show` lists every item, so that clients can ask their user for more scopes. `filter` lists what the caller may use. */
export type ScopedLists = "show" | "filter";

/** Whether lists contain an item. A function decides for each list request; items are hidden unless it returns true. */
export type ListVisibility = boolean | ((context: ServerContext) => boolean);

export type ItemFilter = (item: { readonly scopes: readonly string[] }, listed: ListVisibility) => boolean;

/**
 * A filter for the items that the request gets; undefined if lists do not depend on the request.
 * @param registry the registry of the items
 */
export function listFilter(
  lists: ScopedLists,
  context: ServerContext,
  registry: { readonly isConditional: boolean },
): ItemFilter | undefined {
  const { caller } = context;
  const isScoped = lists === "filter" && caller !== undefined;
  if (!isScoped && !registry.isConditional) return undefined;
  return ({ scopes }, listed) => {
    if (isScoped && !holdsScopes(caller, scopes)) return false;
    return typeof listed !== "function" || decide(listed, context);
  };
}

/** @throws {SdkError} `invalid-argument` for a promise, which would hide the item from everybody */
function decide(listed: (context: ServerContext) => unknown, context: ServerContext): boolean {
  const decision = listed(context);
  if (!isPromiseLike(decision)) return decision === true;
  // The promise is dropped, and its rejection must not end the process.
  decision.then(undefined, () => undefined);
  const advice = "decide by what authenticate has put into context.caller";
  throw new SdkError("invalid-argument", `listed: expected true or false, got a promise; ${advice}`);
}

/** Marks a page that depends on its request as private, so that shared caches do not serve it to other callers. */
export function privatePage(page: JsonObject, isPrivate: boolean, context: ServerContext): JsonObject {
  return isPrivate && context.era === "modern" ? { ...page, cacheScope: "private" } : page;
}
