/**
 * Deeply frozen copies of listings. In-process clients get a listing by reference, so neither they nor the author may change
 * it later.
 */
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../runtime/json.js";

/** Leaves out undefined members. @throws {SdkError} `invalid-argument` for a value that cannot be cloned, such as a function. */
export function frozenCopy<Definition extends object>(definition: Definition, owner: string): Definition {
  const present: JsonObject = {};
  for (const [key, value] of Object.entries(definition)) if (value !== undefined) present[key] = value;
  const copy = copyOf(present, owner);
  freezeDeeply(copy);
  // Only optional members can be undefined, so the copy still has the type.
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
