/** JSON as it crosses the wire: an object whose values have not been looked at yet. */
export interface JsonObject {
  [key: string]: unknown;
}

/** Tells a JSON object from arrays, null and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
