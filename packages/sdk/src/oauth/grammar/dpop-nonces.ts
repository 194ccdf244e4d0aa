/**
 * Stateless nonces for DPoP proofs (RFC 9449, section 8). A nonce is an HMAC of the number of its period. Nonces of the current
 * and the previous period are accepted.
 */
import { base64url } from "jose";
import { SdkError } from "../../errors/sdk-error.js";

export interface DpopNonceOptions {
  /** Key of at least 32 bytes, shared by processes that serve the same clients. @defaultValue random, for this process alone */
  readonly secret?: Uint8Array | undefined;
  /** Length of a period, after which the nonce changes. @defaultValue 120_000 */
  readonly rotateMs?: number | undefined;
  /** The time in milliseconds. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

export class DpopNonces {
  readonly #key: Promise<Awaited<ReturnType<typeof importSecret>>>;
  readonly #rotateMs: number;
  readonly #now: () => number;

  /** @throws {SdkError} `invalid-argument` for a secret of less than 32 bytes. */
  constructor(options: DpopNonceOptions = {}) {
    const { secret = crypto.getRandomValues(new Uint8Array(32)), rotateMs = 120_000, now = Date.now } = options;
    if (secret.length < 32) throw new SdkError("invalid-argument", "secret: expected at least 32 bytes");
    this.#key = importSecret(secret);
    this.#rotateMs = rotateMs;
    this.#now = now;
  }

  /** The nonce to send in `DPoP-Nonce`. */
  current(): Promise<string> {
    return this.#nonce(this.#period());
  }

  async accepts(nonce: string): Promise<boolean> {
    const period = this.#period();
    const accepted = await Promise.all([this.#nonce(period), this.#nonce(period - 1)]);
    return accepted.includes(nonce);
  }

  #period(): number {
    return Math.floor(this.#now() / this.#rotateMs);
  }

  async #nonce(period: number): Promise<string> {
    const signed = await crypto.subtle.sign("HMAC", await this.#key, new TextEncoder().encode(`dpop-nonce ${period}`));
    return base64url.encode(new Uint8Array(signed));
  }
}

function importSecret(secret: Uint8Array) {
  return crypto.subtle.importKey("raw", new Uint8Array(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}
