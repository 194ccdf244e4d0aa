/**
 * A copy of what a registration lists, without undefined members and frozen all the way down: listings hand it out by
 * reference in process, so neither the author's later changes nor a client's can reach it.
 */
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../runtime/json.js";

/** @throws {SdkError} `invalid-argument` for what cannot be copied, such as a function. */
export function frozenCopy<Definition extends object>(definition: Definition, owner: string): Definition {
  const present: JsonObject = {};
  for (const [key, value] of Object.entries(definition)) if (value !== undefined) present[key] = value;
  const copy = copyOf(present, owner);
  freezeDeeply(copy);
  // The same members, less those that were undefined, which the definition's optional members allow.
  return copy as Definition;
}

function copyOf(present: JsonObject, owner: string): JsonObject {
  try {
    return structuredClone(present);
  } catch (cause) {
    throw new SdkError("invalid-argument", `${owner}: the definition cannot be copied: ${String(cause)}`, { cause });
  }
}

function freezeDeeply(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) freezeDeeply(member);
  Object.freeze(value);
}
