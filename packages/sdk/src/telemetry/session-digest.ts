/**
 * Digests of session ids, for spans. A session id gives access to its session, so spans must not contain it: traces have more
 * readers than sessions have users.
 */
import { BoundedMap } from "../runtime/bounded-map.js";
import { sha256Hex } from "../runtime/hexadecimal.js";

/** Limits of the cache of digests. With a cached digest, a call does not wait. */
const KEPT = { maxEntries: 1_024, maxWeight: 1_048_576 };
/** The first half of SHA-256 is enough to tell sessions apart. */
const DIGEST_BYTES = 16;

export class SessionDigests {
  readonly #known = new BoundedMap<string, string>(KEPT);

  /** Returns the digest in hexadecimal, or a promise of it if the digest is not cached. */
  of(id: string): string | Promise<string> {
    return this.#known.get(id) ?? this.#digest(id);
  }

  async #digest(id: string): Promise<string> {
    const text = await sha256Hex(id, DIGEST_BYTES);
    this.#known.set(id, text, id.length);
    return text;
  }
}
