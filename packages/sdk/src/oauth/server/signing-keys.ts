/** The keys that sign access tokens. Keys are created on demand, rotated by age, and published until their last token expires. */
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
import type { AuthorizationStore, Stored, StoreTables } from "./authorization-store.js";

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
  /** How long a key signs. */
  readonly signsMs: number;
  /** How long the tokens of a key are valid. */
  readonly tokenMs: number;
}

export const SIGNING_ALGORITHM = "ES256";
/** The key of the record that holds all signing keys, so that one update is atomic for all of them. */
const RECORD = "signing";
/** The clock difference that resources tolerate. */
const SKEW_MS = 60_000;

export class SigningKeys {
  readonly #options: SigningKeysOptions;

  constructor(options: SigningKeysOptions) {
    this.#options = options;
  }

  async sign(typ: string, claims: JWTPayload): Promise<string> {
    const { kid, privateJwk } = (await this.#current()).at(-1) as SigningKeyRecord;
    const key = await importJWK(privateJwk, SIGNING_ALGORITHM);
    return new SignJWT(claims).setProtectedHeader({ alg: SIGNING_ALGORITHM, typ, kid }).sign(key);
  }

  /** Verifies a token with the published keys and returns its claims. @throws {Error} of `jose` */
  async verify(token: string, typ: string, issuer: string): Promise<JWTPayload> {
    const keys = createLocalJWKSet(await this.published());
    const options = { typ, issuer, algorithms: [SIGNING_ALGORITHM], currentDate: new Date(this.#options.now()) };
    return (await jwtVerify(token, keys, options)).payload;
  }

  /** The public keys of all tokens that may still be valid. */
  async published(): Promise<{ keys: JWK[] }> {
    return { keys: (await this.#current()).filter((key) => this.#isPublished(key)).map(publicJwk) };
  }

  /** All keys. The last one signs. */
  async #current(): Promise<readonly SigningKeyRecord[]> {
    const { store, now } = this.#options;
    let keys = keysOf(await store.get("keys", RECORD));
    if (this.#signs(keys.at(-1))) return keys;
    const added = await createKey(now());
    await store.update("keys", RECORD, (stored) => {
      keys = keysOf(stored);
      // Another request may have added a key meanwhile.
      if (this.#signs(keys.at(-1))) return stored;
      keys = [...keys.filter((key) => this.#isPublished(key)), added];
      return { value: { keys }, expiresAt: this.#endOf(added) };
    });
    return keys;
  }

  #signs(key: SigningKeyRecord | undefined): boolean {
    return key !== undefined && this.#options.now() < key.createdAt + this.#options.signsMs;
  }

  #isPublished(key: SigningKeyRecord): boolean {
    return this.#options.now() < this.#endOf(key);
  }

  #endOf({ createdAt }: SigningKeyRecord): number {
    return createdAt + this.#options.signsMs + this.#options.tokenMs + SKEW_MS;
  }
}

function keysOf(stored: Stored<StoreTables["keys"]> | undefined): readonly SigningKeyRecord[] {
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
