/**
 * The keys that sign access tokens. Keys are created on demand and rotated by age. A key is published before it signs, since
 * resources cache the key set, and until its last token expires.
 */
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from "jose";
import type { AuthorizationStore, StoredRecord, StoreTables } from "./authorization-store.js";
import { digest } from "./secrets.js";

/** A private key as the store keeps it. */
export interface SigningKeyRecord {
  readonly kid: string;
  readonly privateJwk: JWK;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface SigningKeysOptions {
  readonly store: AuthorizationStore;
  readonly now: () => number;
  /** The age of a key at which its successor is created. */
  readonly signsMs: number;
  /** How long the tokens of a key are valid. */
  readonly tokenMs: number;
}

export const SIGNING_ALGORITHM = "ES256";
/** How long HTTP caches may keep the published keys. */
export const KEY_SET_CACHE_MS = 300_000;
/** The key of the record that holds all signing keys, so that one update is atomic for all of them. */
const RECORD = "signing";
/** The clock difference that resources tolerate. */
const SKEW_MS = 60_000;
/** The record is kept for a hundred years: a server that stood still for months goes on with the key that it published. */
const KEPT_MS = 3_155_760_000_000;
/** How long a key is published before it signs: twice the time for which resources may cache the key set. */
const LEAD_MS = 2 * KEY_SET_CACHE_MS;

export class SigningKeys {
  readonly #options: SigningKeysOptions;

  constructor(options: SigningKeysOptions) {
    this.#options = options;
  }

  async sign(typ: string, claims: JWTPayload): Promise<string> {
    const [first, ...successors] = await this.#current();
    const ready = successors.filter(({ createdAt }) => createdAt + LEAD_MS <= this.#options.now());
    // `#current` returns at least one key. The first key of a server signs at once, since there is no other.
    const { kid, privateJwk } = ready.at(-1) ?? (first as SigningKeyRecord);
    const key = await importJWK(privateJwk, SIGNING_ALGORITHM);
    return new SignJWT(claims).setProtectedHeader({ alg: SIGNING_ALGORITHM, typ, kid }).sign(key);
  }

  /** Verifies a token with the published keys and returns its claims. @throws {Error} of `jose` */
  async verify(token: string, typ: string, issuer: string): Promise<JWTPayload> {
    const keys = createLocalJWKSet(await this.published());
    const options = { typ, issuer, algorithms: [SIGNING_ALGORITHM], currentDate: new Date(this.#options.now()) };
    return (await jwtVerify(token, keys, options)).payload;
  }

  /** The public keys of all tokens that may still be valid, and of the tokens to come. */
  async published(): Promise<{ keys: JWK[] }> {
    return { keys: (await this.#current()).map(publicJwk) };
  }

  /**
   * Bytes for another purpose, derived from the oldest published key. The same in all processes with one store, and others once that
   * key is gone.
   */
  async derive(purpose: string): Promise<Uint8Array> {
    // `#current` returns at least one key.
    const [{ privateJwk }] = (await this.#current()) as [SigningKeyRecord];
    return new TextEncoder().encode(await digest(purpose, `${privateJwk.d}`));
  }

  /** All published keys, oldest first. */
  async #current(): Promise<readonly SigningKeyRecord[]> {
    const { store, now } = this.#options;
    let keys = keysOf(await store.get("keys", RECORD));
    if (keys.some((key) => this.#isAhead(key))) {
      await store.update("keys", RECORD, (stored) => {
        keys = keysOf(stored).map((key) => (this.#isAhead(key) ? { ...key, createdAt: now() } : key));
        return { value: { keys }, expiresAt: now() + KEPT_MS };
      });
    }
    if (!this.#needsSuccessor(keys.at(-1))) return this.#published(keys);
    const added = await createKey(now());
    await store.update("keys", RECORD, (stored) => {
      keys = keysOf(stored);
      // Another request may have added a key meanwhile.
      if (!this.#needsSuccessor(keys.at(-1))) return stored;
      keys = [...this.#published(keys), added];
      return { value: { keys }, expiresAt: now() + KEPT_MS };
    });
    return this.#published(keys);
  }

  /** A clock that was ahead and is set back leaves keys of the future. They count as created now, so that they are rotated. */
  #isAhead({ createdAt }: SigningKeyRecord): boolean {
    return createdAt > this.#options.now() + SKEW_MS;
  }

  #needsSuccessor(newest: SigningKeyRecord | undefined): boolean {
    return newest === undefined || newest.createdAt + this.#ageOfSuccession <= this.#options.now();
  }

  /** A key without a successor stays published. Any other one until the last token before its successor signed has expired. */
  #published(keys: readonly SigningKeyRecord[]): readonly SigningKeyRecord[] {
    return keys.filter((_key, index) => {
      const successor = keys[index + 1];
      return successor === undefined || this.#options.now() < this.#lastUseOf(successor.createdAt);
    });
  }

  /** A key signs before it gets a successor, so that their number stays small. */
  get #ageOfSuccession(): number {
    return Math.max(this.#options.signsMs, LEAD_MS);
  }

  /** The end of the last token of a key whose successor was created at that time. */
  #lastUseOf(succeededAt: number): number {
    return succeededAt + LEAD_MS + this.#options.tokenMs + SKEW_MS;
  }
}

function keysOf(stored: StoredRecord<StoreTables["keys"]> | undefined): readonly SigningKeyRecord[] {
  return stored?.value.keys ?? [];
}

async function createKey(createdAt: number): Promise<SigningKeyRecord> {
  const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const privateJwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(privateJwk), privateJwk, createdAt };
}

function publicJwk({ kid, privateJwk }: SigningKeyRecord): JWK {
  const { d: _private, ...publicPart } = privateJwk;
  return { ...publicPart, kid, use: "sig", alg: SIGNING_ALGORITHM };
}
