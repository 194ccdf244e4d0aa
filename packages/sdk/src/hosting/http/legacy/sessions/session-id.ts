/** Session ids: 160 random bits as hexadecimal digits. */
import { toHex } from "../../../../runtime/hexadecimal.js";

const BYTES = 20;

export function createSessionId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(BYTES)));
}

/** Whether a text has the form of a session id. The store is not asked for any other text. */
export function mayBeSessionId(text: string): boolean {
  return text.length === 2 * BYTES && /^[0-9a-f]+$/.test(text);
}
