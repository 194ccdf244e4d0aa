/**
 * A copy of what a registration lists, without undefined members and frozen all the way down: listings hand it out by
 * reference in process, so neither the author's later changes nor a client's can reach it.
 */
import type { JsonObject } from "../protocol/json.js";

export function frozenDefinition<Definition extends object>(definition: Definition): Definition {
  const present: JsonObject = {};
  for (const [key, value] of Object.entries(definition)) if (value !== undefined) present[key] = value;
  const copy = structuredClone(present);
  freezeDeeply(copy);
  // The same members, less those that were undefined, which the definition's optional members allow.
  return copy as Definition;
}

function freezeDeeply(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) freezeDeeply(member);
  Object.freeze(value);
}
