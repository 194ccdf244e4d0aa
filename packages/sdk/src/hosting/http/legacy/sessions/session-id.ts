/** Session ids: 160 random bits as hexadecimal digits. */

const BYTES = 20;

export function createSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether a text has the form of a session id. The store is not asked for any other text. */
export function mayBeSessionId(text: string): boolean {
  return text.length === 2 * BYTES && /^[0-9a-f]+$/.test(text);
}
