/** The JSON type of a value. Values of user code may have other types. */

/** The values of `type`. */
export type TypeName = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : typeof value;
}

/** Whether a value is JSON. Members and items are not checked. */
export function isJson(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "object":
      return true;
    case "number":
      return Number.isFinite(value);
    default:
      return false;
  }
}
