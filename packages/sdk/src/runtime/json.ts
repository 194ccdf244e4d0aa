/** A JSON object whose values are not checked yet. */
export interface JsonObject {
  [key: string]: unknown;
}

/** Whether an object is an instance of no class. Checks the prototype chain, since other realms have another `Object.prototype`. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether a value is an object, and neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
