/** Percent-encoding of RFC 6570: keeps unreserved characters, or unreserved and reserved ones. */
const NOT_UNRESERVED = /[^A-Za-z0-9\-._~]/gu;
const NOT_RESERVED = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu;

/** Encodes a value, reserved characters included. */
export function encodeValue(value: string): string {
  return value.toWellFormed().replace(NOT_UNRESERVED, encodeCharacter);
}

/** Encodes a value or literal. Reserved characters and encoded triplets stay. */
export function encodeLiteral(value: string): string {
  return value
    .toWellFormed()
    .replace(NOT_RESERVED, (found) => (found.length === 3 && found.startsWith("%") ? found : encodeCharacter(found)));
}

/** Decodes a text; undefined for a malformed sequence. */
export function decode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function encodeCharacter(character: string): string {
  // encodeURIComponent leaves these as they are; RFC 6570 does not.
  return /[!'()*]/.test(character)
    ? `%${character.charCodeAt(0).toString(16).toUpperCase()}`
    : encodeURIComponent(character);
}
