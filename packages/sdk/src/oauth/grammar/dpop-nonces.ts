/**
 * Stateless nonces for DPoP proofs (RFC 9449, section 8). A nonce is an HMAC of the number of its period. Nonces of the current
 * and the previous period are accepted.
 */
import { base64url } from "jose";
import { SdkError } from "../../errors/sdk-error.js";

export interface DpopNonceOptions {
  /**
   * Key of at least 32 bytes, shared by processes that serve the same clients. A function is called for every nonce.
   * @defaultValue random, for this process alone
   */
  readonly secret?: Uint8Array | (() => Promise<Uint8Array>) | undefined;
  /** Length of a period, after which the nonce changes. @defaultValue 120_000 */
  readonly rotateMs?: number | undefined;
  /** The time in milliseconds. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

export class DpopNonces {
  readonly #key: () => ReturnType<typeof importSecret>;
  readonly #rotateMs: number;
  readonly #now: () => number;

  /** @throws {SdkError} `invalid-argument` for a secret other than 32 bytes or more. */
  constructor(options: DpopNonceOptions = {}) {
    const { secret = crypto.getRandomValues(new Uint8Array(32)), rotateMs = 120_000, now = Date.now } = options;
    this.#key = typeof secret === "function" ? async () => importSecret(await secret()) : fixedKey(secret);
    this.#rotateMs = rotateMs;
    this.#now = now;
  }

  /** The nonce to send in `DPoP-Nonce`. */
  async current(): Promise<string> {
    return nonceOf(await this.#key(), this.#period());
  }

  async accepts(nonce: string): Promise<boolean> {
    const period = this.#period();
    const key = await this.#key();
    const accepted = await Promise.all([nonceOf(key, period), nonceOf(key, period - 1)]);
    return accepted.includes(nonce);
  }

  #period(): number {
    return Math.floor(this.#now() / this.#rotateMs);
  }
}

function fixedKey(secret: Uint8Array): () => ReturnType<typeof importSecret> {
  // A text would become an empty key.
  const isLong = secret instanceof Uint8Array && secret.length >= 32;
  if (!isLong) throw new SdkError("invalid-argument", "nonceSecret: expected a Uint8Array of at least 32 bytes");
  const key = importSecret(secret);
  return () => key;
}

async function nonceOf(key: Awaited<ReturnType<typeof importSecret>>, period: number): Promise<string> {
  const signed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`dpop-nonce ${period}`));
  return base64url.encode(new Uint8Array(signed));
}

function importSecret(secret: Uint8Array) {
  return crypto.subtle.importKey("raw", new Uint8Array(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}
