/**
 * Digests of session ids, for spans. A session id gives access to its session, and more people read traces than may use the
 * session.
 */
import { BoundedMap } from "../runtime/bounded-map.js";

/** Limits of the cache. Only the first call of a session waits for its digest. */
const KEPT = { maxEntries: 1_024, maxWeight: 1_048_576 };
/** Half of SHA-256 identifies a session. */
const DIGEST_BYTES = 16;

export class SessionDigests {
  readonly #known = new BoundedMap<string, string>(KEPT);

  /** The digest in hexadecimal; a promise of it for an id that was not seen lately. */
  of(id: string): string | Promise<string> {
    return this.#known.get(id) ?? this.#digest(id);
  }

  async #digest(id: string): Promise<string> {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(id)));
    const text = Array.from(bytes.subarray(0, DIGEST_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.#known.set(id, text, id.length);
    return text;
  }
}
