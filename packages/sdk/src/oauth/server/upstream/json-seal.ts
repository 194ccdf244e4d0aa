/**
 * Encrypts JSON for the store, as JWE with AES-256-GCM. The keys are not in the store. The owner is part of the plaintext, so a
 * sealed text that is moved to another record cannot be opened there.
 */
import { CompactEncrypt, compactDecrypt } from "jose";
import { SdkError } from "../../../errors/sdk-error.js";
import type { JsonObject } from "../../../runtime/json.js";

const KEY_BYTES = 32;
const HEADER = { alg: "dir", enc: "A256GCM" } as const;

export class JsonSeal {
  readonly #given: readonly Uint8Array[] | undefined;
  #keys: readonly Uint8Array[] | undefined;

  /** @throws {SdkError} `invalid-argument` for an empty key list, or a key of another size */
  constructor(keys?: readonly Uint8Array[]) {
    this.#given = keys && copyKeys(keys);
  }

  /** @param owner the record that the text belongs to; `open` needs the same owner */
  async seal(value: JsonObject, owner: string): Promise<string> {
    const plain = new TextEncoder().encode(JSON.stringify({ owner, value }));
    const [key] = this.#loadKeys() as [Uint8Array]; // the constructor refuses an empty list
    return new CompactEncrypt(plain).setProtectedHeader(HEADER).encrypt(key);
  }

  /** Decrypts a text. Undefined if no key fits, or if it was sealed for another owner. */
  async open(sealed: string, owner: string): Promise<JsonObject | undefined> {
    for (const key of this.#loadKeys()) {
      const plain = await decrypt(sealed, key);
      if (plain === undefined) continue;
      const opened = JSON.parse(plain) as { readonly owner: string; readonly value: JsonObject };
      return opened.owner === owner ? opened.value : undefined;
    }
    return undefined;
  }

  // Created at first use, since some runtimes provide no random bytes while modules load.
  #loadKeys(): readonly Uint8Array[] {
    this.#keys ??= this.#given ?? [crypto.getRandomValues(new Uint8Array(KEY_BYTES))];
    return this.#keys;
  }
}

async function decrypt(sealed: string, key: Uint8Array): Promise<string | undefined> {
  const algorithms = { keyManagementAlgorithms: [HEADER.alg], contentEncryptionAlgorithms: [HEADER.enc] };
  try {
    return new TextDecoder().decode((await compactDecrypt(sealed, key, algorithms)).plaintext);
  } catch {
    // Another key may have sealed it.
    return undefined;
  }
}

/** Copies the keys, so that later changes of the caller's arrays have no effect. */
function copyKeys(keys: readonly Uint8Array[]): readonly Uint8Array[] {
  if (keys.length === 0) throw new SdkError("invalid-argument", "keys: expected at least one, got none");
  return keys.map((key, index) => {
    if (key instanceof Uint8Array && key.length === KEY_BYTES) return new Uint8Array(key);
    const got = key instanceof Uint8Array ? `${key.length} bytes` : typeof key;
    throw new SdkError("invalid-argument", `keys[${index}]: expected a Uint8Array of ${KEY_BYTES} bytes, got ${got}`);
  });
}
