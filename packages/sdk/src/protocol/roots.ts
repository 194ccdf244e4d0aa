/** Roots: the directories and files that a client lets a server work on. */
import type { JsonObject } from "../runtime/json.js";
import type { RequestParams, Result } from "./message-base.js";
import { resultFields } from "./message-base.js";
import type { Shape } from "./shape.js";
import { array, jsonObject, object, optional, string } from "./shape.js";

/**
 * One directory or file.
 * @deprecated since 2026-07-28 (SEP-2577): servers take them as arguments. Earliest removal: 2027-07-28.
 */
export interface Root {
  /** A `file:` URI. */
  uri: string;
  name?: string | undefined;
  _meta?: JsonObject | undefined;
}

/**
 * The params of `roots/list`.
 * @deprecated since 2026-07-28 (SEP-2577): servers take them as arguments. Earliest removal: 2027-07-28.
 */
export type ListRootsParams = RequestParams;

/**
 * The result of `roots/list`.
 * @deprecated since 2026-07-28 (SEP-2577): servers take them as arguments. Earliest removal: 2027-07-28.
 */
export interface ListRootsResult extends Result {
  roots: Root[];
}

const rootShape: Shape = object<Root>({ uri: string, name: optional(string), _meta: optional(jsonObject) });

export const listRootsResultShape: Shape = object<ListRootsResult>({ ...resultFields, roots: array(rootShape) });
