/** Base64 on every runtime: encoding in linear time, decoding, and checking of texts. */

/** Bytes per call of `String.fromCharCode`, below the argument limit of engines. A multiple of three: only the last piece is padded. */
const CHUNK = 0x6000;

export function encodeBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK) {
    // `apply` accepts any array-like object. Spreading the bytes takes five times as long.
    const chunk = bytes.subarray(start, start + CHUNK) as unknown as number[];
    pieces.push(btoa(String.fromCharCode.apply(null, chunk)));
  }
  return pieces.join("");
}

/** The bytes as characters from U+0000 to U+00FF. */
export function binaryText(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK) {
    const chunk = bytes.subarray(start, start + CHUNK) as unknown as number[];
    pieces.push(String.fromCharCode.apply(null, chunk));
  }
  return pieces.join("");
}

/** The bytes as characters from U+0000 to U+00FF. An empty string for a text that is not Base64. */
export function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}

/** Characters that `isBase64` checks at either end of a long text. A multiple of four. */
const SAMPLE_CHARS = 4_096;
const DIGITS = /^[A-Za-z0-9+/]*$/;
const DIGITS_AND_PADDING = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Whether a text is Base64 with its padding and without line breaks. Only both ends of a long text are checked: they tell
 * other encodings apart, and the check takes constant time.
 */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  if (text.length <= 2 * SAMPLE_CHARS) return DIGITS_AND_PADDING.test(text);
  return DIGITS.test(text.slice(0, SAMPLE_CHARS)) && DIGITS_AND_PADDING.test(text.slice(-SAMPLE_CHARS));
}
