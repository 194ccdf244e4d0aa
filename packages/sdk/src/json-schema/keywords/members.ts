/** The members of an object: its own, by whatever name; one whose value is `undefined` is not there, as in JSON. */
import type { JsonObject } from "../../runtime/json.js";

export function hasMember(value: JsonObject, name: string): boolean {
  return memberOf(value, name) !== undefined;
}

export function memberOf(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
