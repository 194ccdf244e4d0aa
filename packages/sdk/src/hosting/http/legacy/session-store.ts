/** What has to be known of a legacy session to go on with it in another process. */
import type { HandshakeState } from "../../../server/handshake-state.js";

/** Plain JSON. */
export interface SessionRecord {
  /** Whose session it is; nobody else may use it. */
  readonly principal?: string | undefined;
  /** Who the client is, what was settled, and what it asked to hear of. */
  readonly handshake: HandshakeState;
}

/**
 * Asynchronous and keyed, so that a networked store can do it. Requests that are running and connections that are open
 * are not in it: they end with their process.
 */
export interface SessionStore {
  get(id: string): Promise<SessionRecord | undefined>;
  /** `ttlMs` is how long to keep it unless it is set again. */
  set(id: string, record: SessionRecord, ttlMs: number): Promise<void>;
  delete(id: string): Promise<void>;
}

/** Shares sessions between several endpoints of one process. Keeps text, as a networked store does. */
export class InMemorySessionStore implements SessionStore {
  readonly #records = new Map<string, { readonly text: string; readonly expiresAt: number }>();

  /** How many are kept. */
  get size(): number {
    return this.#records.size;
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const found = this.#records.get(id);
    return found && found.expiresAt > Date.now() ? JSON.parse(found.text) : undefined;
  }

  async set(id: string, record: SessionRecord, ttlMs: number): Promise<void> {
    const now = Date.now();
    // Set anew at its end, so that those that expire first come first.
    this.#records.delete(id);
    this.#records.set(id, { text: JSON.stringify(record), expiresAt: now + ttlMs });
    for (const [other, { expiresAt }] of this.#records) {
      if (expiresAt > now) return;
      this.#records.delete(other);
    }
  }

  async delete(id: string): Promise<void> {
    this.#records.delete(id);
  }
}
