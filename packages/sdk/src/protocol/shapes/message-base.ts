/** Shapes of what params and results share: `_meta`, pages, cache hints. */
import type { CacheHint } from "../caching.js";
import type { NotificationParams, PageParams, PageResult, RequestParams, Result } from "../message-base.js";
import type { Fields, Shape } from "../shape.js";
import { integer, jsonObject, object, oneOf, optional, string, stringOrInteger } from "../shape.js";

/** Only what every revision has: what the modern era puts into `_meta` is a plain key to the legacy one. */
const requestMetaShape: Shape = object<{ progressToken: unknown }>({ progressToken: optional(stringOrInteger) });

export const requestFields: Fields<RequestParams> = { _meta: optional(requestMetaShape) };
export const notificationFields: Fields<NotificationParams> = { _meta: optional(jsonObject) };
/** Any `resultType` passes here: which are known is for the era and its extensions to say. */
export const resultFields: Fields<Result> = { _meta: optional(jsonObject), resultType: optional(string) };
export const pageResultFields: Fields<PageResult> = { ...resultFields, nextCursor: optional(string) };
export const cacheFields: Fields<CacheHint> = {
  ttlMs: optional(integer),
  cacheScope: optional(oneOf("public", "private")),
};

/** Params of a request that needs none. */
export const emptyParamsShape: Shape = optional(object<RequestParams>(requestFields));
/** Params of a notification that needs none. */
export const emptyNotificationShape: Shape = optional(object<NotificationParams>(notificationFields));
export const pageParamsShape: Shape = optional(object<PageParams>({ ...requestFields, cursor: optional(string) }));
/** A result that says no more than that the request was done. */
export const emptyResultShape: Shape = object<Result>(resultFields);
