/** Estimates the heap that parsed JSON retains, for limits in bytes. Reads each member at most once. */

/** The bytes of one object, array or table entry. Measured on V8: 16 to 56. */
export const NODE_BYTES = 48;
/** One character outside Latin-1 makes V8 store the whole string with two bytes per character. */
const CHARACTER_BYTES = 2;

/** The most bytes that a text can take. */
export function textBytes(text: string): number {
  return text.length * CHARACTER_BYTES;
}

/** The bytes of a JSON value, keys included. Stops counting once the sum exceeds `max`. */
export function jsonBytes(value: unknown, max: number = Number.POSITIVE_INFINITY): number {
  if (typeof value === "string") return NODE_BYTES + textBytes(value);
  if (typeof value !== "object" || value === null) return NODE_BYTES;
  let bytes = NODE_BYTES;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && bytes <= max; index++) bytes += jsonBytes(value[index], max - bytes);
  } else {
    // `for…in` takes half the time of `Object.keys`. Parsed JSON inherits no enumerable members.
    for (const key in value) {
      if (bytes > max) return bytes;
      bytes += textBytes(key) + jsonBytes(value[key as keyof typeof value], max - bytes);
    }
  }
  return bytes;
}
