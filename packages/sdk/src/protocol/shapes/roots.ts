/** Shapes of roots. */
import type { ListRootsResult, Root } from "../roots.js";
import type { Shape } from "../shape.js";
import { array, jsonObject, object, optional, string } from "../shape.js";
import { resultFields } from "./message-base.js";

const rootShape: Shape = object<Root>({ uri: string, name: optional(string), _meta: optional(jsonObject) });

export const listRootsResultShape: Shape = object<ListRootsResult>({ ...resultFields, roots: array(rootShape) });
