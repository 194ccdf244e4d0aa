/** Session ids: 160 random bits in characters that any header can carry. */

const BYTES = 20;

export function createSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether a store need be asked at all. */
export function mayBeSessionId(text: string): boolean {
  return text.length === 2 * BYTES && /^[0-9a-f]+$/.test(text);
}
