/**
 * Revokes all grants, sessions and tokens of a user or a client. Stores cannot list records, so a revocation is stored as a
 * time: everything older than that time is invalid.
 */
import type { AuthorizationStore } from "./authorization-store.js";
import { digest } from "./secrets.js";

export interface RevocationsOptions {
  readonly store: AuthorizationStore;
  readonly now: () => number;
  /** How long a revocation is kept: the longest lifetime of a grant, a session or a token. */
  readonly keepMs: number;
}

/** A grant, a session or a token, with the times that decide whether a revocation covers it. */
export interface Revocable {
  readonly subject: string;
  /** Time of the user's login, in milliseconds since 1970. */
  readonly loggedInAt: number;
  /** The client that holds it. Undefined for the session of a browser. */
  readonly client?: { readonly clientId: string; readonly since: number };
}

export class Revocations {
  readonly #options: RevocationsOptions;

  constructor(options: RevocationsOptions) {
    this.#options = options;
  }

  /** Revokes everything of the subject or the client that is older than now. */
  async revoke(kind: "subject" | "client", name: string): Promise<void> {
    const { store, now, keepMs } = this.#options;
    const at = now();
    await store.update("cutoffs", await digest(kind, name), () => ({ value: { at }, expiresAt: at + keepMs }));
  }

  async covers({ subject, loggedInAt, client }: Revocable): Promise<boolean> {
    if (await this.#isSince("subject", subject, loggedInAt)) return true;
    return client !== undefined && this.#isSince("client", client.clientId, client.since);
  }

  async #isSince(kind: "subject" | "client", name: string, time: number): Promise<boolean> {
    const revoked = await this.#options.store.get("cutoffs", await digest(kind, name));
    return revoked !== undefined && time <= revoked.value.at;
  }
}
