/** Shapes that params and results share: `_meta`, pages, cache hints. */
import type { CacheHint } from "../caching.js";
import type { NotificationParams, PageParams, PageResult, RequestParams, Result } from "../message-base.js";
import type { Fields, Shape } from "../shape.js";
import { integer, jsonObject, object, oneOf, optional, string, stringOrInteger } from "../shape.js";

/** Only the key that every revision has. The keys of the modern era mean nothing in the legacy one. */
const requestMetaShape: Shape = object<{ progressToken: unknown }>({ progressToken: optional(stringOrInteger) });

export const requestFields: Fields<RequestParams> = { _meta: optional(requestMetaShape) };
export const notificationFields: Fields<NotificationParams> = { _meta: optional(jsonObject) };
/** Any `resultType` passes here. The era and its extensions know the valid ones. */
export const resultFields: Fields<Result> = { _meta: optional(jsonObject), resultType: optional(string) };
export const pageResultFields: Fields<PageResult> = { ...resultFields, nextCursor: optional(string) };
export const cacheFields: Fields<CacheHint> = {
  ttlMs: optional(integer),
  cacheScope: optional(oneOf("public", "private")),
};
/** The cache hint of a result whose other fields have no shape. */
export const cacheHintShape: Shape = object<CacheHint>(cacheFields);

/** Params of a request that needs none. */
export const emptyParamsShape: Shape = optional(object<RequestParams>(requestFields));
/** Params of a notification that needs none. */
export const emptyNotificationShape: Shape = optional(object<NotificationParams>(notificationFields));
export const pageParamsShape: Shape = optional(object<PageParams>({ ...requestFields, cursor: optional(string) }));
/** A result without fields of its own. */
export const emptyResultShape: Shape = object<Result>(resultFields);
