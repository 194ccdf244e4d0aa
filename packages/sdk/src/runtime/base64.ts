/** Base64: encodes in linear time on every runtime, decodes, and checks texts. */

/** As many bytes as a call takes arguments, and a multiple of three, so that only the last piece is padded. */
const CHUNK = 0x6000;

export function encodeBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK) {
    // Spreading the bytes would take five times as long; what is applied need only be like an array, as they are.
    const chunk = bytes.subarray(start, start + CHUNK) as unknown as number[];
    pieces.push(btoa(String.fromCharCode.apply(null, chunk)));
  }
  return pieces.join("");
}

/** The bytes as characters from U+0000 to U+00FF; empty for a text that is not Base64. */
export function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}

/** Characters at either end of a long text that are looked at; a multiple of four. */
const SAMPLE_CHARS = 4_096;
const DIGITS = /^[A-Za-z0-9+/]*$/;
const DIGITS_AND_PADDING = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Whether a text is Base64 with its padding and without line breaks. Of a long text only both ends are looked at: that is
 * enough to tell other encodings, and a megabyte takes no longer than a page.
 */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  if (text.length <= 2 * SAMPLE_CHARS) return DIGITS_AND_PADDING.test(text);
  return DIGITS.test(text.slice(0, SAMPLE_CHARS)) && DIGITS_AND_PADDING.test(text.slice(-SAMPLE_CHARS));
}
