/** What every request's params and every result may carry, whatever the method. */
import type { JsonObject } from "../runtime/json.js";

/** Names the request that progress belongs to; chosen by whoever sent it. */
export type ProgressToken = string | number;

/** What the params of every request may carry. */
export interface RequestParams {
  _meta?: JsonObject | undefined;
}

/** What the params of every notification may carry. */
export interface NotificationParams {
  _meta?: JsonObject | undefined;
}

/** What every finished result may carry. */
export interface Result {
  _meta?: JsonObject | undefined;
  /** Modern only, and absent from older peers: there a result is always complete. */
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
