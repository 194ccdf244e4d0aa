/** Roots: the directories and files that a client lets a server work on. */
import type { JsonObject } from "./json.js";
import type { RequestParams, Result } from "./message-base.js";

/** One directory or file. */
export interface Root {
  /** A `file:` URI. */
  uri: string;
  name?: string | undefined;
  _meta?: JsonObject | undefined;
}

/** The params of `roots/list`. */
export type ListRootsParams = RequestParams;

/** The result of `roots/list`. */
export interface ListRootsResult extends Result {
  roots: Root[];
}
