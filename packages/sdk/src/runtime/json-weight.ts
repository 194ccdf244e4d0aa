/** An estimate of the memory that a JSON value takes. */

const CONTAINER_BYTES = 40;
const MEMBER_BYTES = 16;
const BYTES_PER_CHARACTER = 2;

/** What a text takes at most. */
export function textBytes(text: string): number {
  return text.length * BYTES_PER_CHARACTER;
}

/** Stops counting beyond `max`, so that a large value costs no more than a refusal needs. The value must not be cyclic. */
export function jsonBytes(value: unknown, max: number): number {
  if (typeof value === "string") return MEMBER_BYTES + textBytes(value);
  if (typeof value !== "object" || value === null) return MEMBER_BYTES;
  let bytes = CONTAINER_BYTES;
  for (const [name, member] of Object.entries(value)) {
    bytes += MEMBER_BYTES + textBytes(name) + jsonBytes(member, max - bytes);
    if (bytes > max) return bytes;
  }
  return bytes;
}
