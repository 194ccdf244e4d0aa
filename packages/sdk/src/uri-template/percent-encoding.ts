/** Percent-encoding as RFC 6570 wants it: everything but unreserved characters, or everything but reserved ones too. */
const NOT_UNRESERVED = /[^A-Za-z0-9\-._~]/gu;
const NOT_RESERVED = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu;

/** A value where reserved characters would be taken for structure. */
export function encodeValue(value: string): string {
  return value.toWellFormed().replace(NOT_UNRESERVED, encodeCharacter);
}

/** A value or literal that may hold reserved characters and triplets that are encoded already. */
export function encodeLiteral(value: string): string {
  return value
    .toWellFormed()
    .replace(NOT_RESERVED, (found) => (found.length === 3 && found.startsWith("%") ? found : encodeCharacter(found)));
}

/** Undefined for a malformed sequence. */
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
