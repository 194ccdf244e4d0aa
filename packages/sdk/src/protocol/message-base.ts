/** The members that the params of all requests and all results may have. */
import type { JsonObject } from "../runtime/json.js";

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
