/**
 * Deeply frozen copies of listings. In-process clients get a listing by reference, so neither they nor the author may change
 * it later.
 */
import { SdkError } from "../errors/sdk-error.js";
import { isPlainObject, type JsonObject } from "../runtime/json.js";

/** Twice the depth limit of messages on the wire. The stack has room for it. */
const MAX_DEPTH = 1_024;

/**
 * Leaves out undefined members.
 * @throws {SdkError} `invalid-argument` for a value that is not JSON, such as a function, bytes, or an object that contains itself.
 */
export function frozenCopy<Definition extends object>(definition: Definition, owner: string): Definition {
  const present: JsonObject = {};
  for (const [key, value] of Object.entries(definition)) if (value !== undefined) present[key] = value;
  const copy = copyOf(present, owner);
  freezeDeeply(copy, owner, [], new Set());
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

function freezeDeeply(value: unknown, owner: string, path: readonly string[], parents: Set<object>): void {
  if (typeof value === "bigint") throw notJson(owner, path, "bigint");
  if (typeof value === "number" && !Number.isFinite(value)) throw notJson(owner, path, String(value));
  if (typeof value !== "object" || value === null) return;
  if (parents.has(value)) throw notJson(owner, path, "a value that contains itself");
  if (!Array.isArray(value) && !isPlainObject(value)) throw notJson(owner, path, value.constructor.name);
  if (path.length > MAX_DEPTH) {
    throw new SdkError("invalid-argument", `${owner}: the definition nests deeper than ${MAX_DEPTH} levels`);
  }
  parents.add(value);
  for (const [name, member] of Object.entries(value)) freezeDeeply(member, owner, [...path, name], parents);
  parents.delete(value);
  Object.freeze(value);
}

function notJson(owner: string, path: readonly string[], got: string): SdkError {
  return new SdkError("invalid-argument", `${owner}: ${path.join(".")}: expected JSON, got ${got}`);
}
