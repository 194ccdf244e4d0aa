/** The members that params and results share, and their shapes: `_meta`, pages, cache hints. */
import type { JsonObject } from "../runtime/json.js";
import type { Fields, Shape } from "./shape.js";
import { integer, jsonObject, object, oneOf, optional, string, stringOrInteger } from "./shape.js";

/** Identifies the request that progress belongs to. The sender of the request chooses it. */
export type ProgressToken = string | number;

/** The members that the params of every request may have. */
export interface RequestParams {
  _meta?: JsonObject | undefined;
}

/** The members that the params of every notification may have. */
export interface NotificationParams {
  _meta?: JsonObject | undefined;
}

/** The members that every finished result may have. */
export interface Result {
  _meta?: JsonObject | undefined;
  /** Modern only. Results of older peers lack it and are complete. */
  resultType?: "complete" | undefined;
}

/** The params of a request for one page of a list. */
export interface PageParams extends RequestParams {
  /** The `nextCursor` of the page before; absent for the first page. */
  cursor?: string | undefined;
}

/** One page of a list. */
export interface PageResult extends Result {
  /** Where the next page starts; absent on the last one. The empty string is a cursor like any other. */
  nextCursor?: string | undefined;
}

/** `public` results may be reused for anybody, `private` ones only for the caller that was authorized. */
export type CacheScope = "public" | "private";

/** The hints that the six cacheable results carry. Modern only. */
export interface CacheHint {
  /** For how many milliseconds the result stays fresh; 0 means not at all. */
  ttlMs?: number | undefined;
  cacheScope?: CacheScope | undefined;
}

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
