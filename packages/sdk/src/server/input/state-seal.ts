/**
 * Encrypts the state that a client holds between input rounds, so that it can neither read nor change it. A sealed state is
 * the base64url of a format byte, a nonce, and AES-256-GCM of (SHA-256 of the binding, expiry, JSON payload). The binding is
 * the request that the state belongs to. used-states.ts prevents reuse. modern-run.ts defines the payload.
 */
import { checkLifetime, checkMethods, checkWholeNumber } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { ProtocolError } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import { ErrorCode } from "../../protocol/error-codes.js";
import { decodeBase64, encodeBase64 } from "../../runtime/base64.js";
import { canonicalJson } from "../../runtime/canonical-json.js";
import type { JsonObject } from "../../runtime/json.js";
import { serializeJson } from "../../wire/json-text.js";
import { InMemoryUsedStates, type UsedStates } from "./used-states.js";

/** The request that a state belongs to. A state opens only with an equal binding. */
export interface StateBinding {
  /** The principal of the request; undefined without authentication. */
  readonly principal: string | undefined;
  readonly method: string;
  /** The request's own params: without `_meta`, `inputResponses` and `requestState`. */
  readonly params: JsonObject;
}

/** The keys and the lifetime of the encrypted state of requests that ask their client. */
export interface StateSealOptions {
  /**
   * Secrets of 32 bytes each. The first one encrypts, all decrypt. To rotate, put a new one in front and drop the last one
   * after `ttlMs`. With the default, only this process can open its states.
   * @defaultValue one random key
   */
  readonly keys?: readonly Uint8Array[] | undefined;
  /**
   * Refuse a state that was sealed this long ago. Every round seals a new state. The default leaves a person time to sign in
   * or fill in a form. It is also the most that OAuth recommends for its codes.
   * @defaultValue 600_000
   */
  readonly ttlMs?: number | undefined;
  /** Open each state only once: `true` for a store in this process, or a store that processes share. @defaultValue false */
  readonly singleUse?: boolean | UsedStates | undefined;
  /** Bytes of one sealed state. @defaultValue 65_536 */
  readonly maxStateBytes?: number | undefined;
  /** Clock, in milliseconds since the epoch. @defaultValue Date.now */
  readonly now?: (() => number) | undefined;
}

const OPTIONS: OptionTable<StateSealOptions> = {
  keys: "list",
  ttlMs: true,
  singleUse: true,
  maxStateBytes: true,
  now: "function",
};

type SealKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const DEFAULT_TTL_MS = 600_000;
const DEFAULT_MAX_STATE_BYTES = 65_536;

const FORMAT = 1;
const KEY_BYTES = 32;
const NONCE_END = 1 + 12;
const DIGEST_BYTES = 32;
const PAYLOAD_START = DIGEST_BYTES + 8;
const TAG_BYTES = 16;

export class StateSeal {
  readonly #secrets: readonly Uint8Array[] | undefined;
  readonly #ttlMs: number;
  readonly #maxStateBytes: number;
  readonly #used: UsedStates | undefined;
  readonly #now: () => number;
  #keys: Promise<SealKey[]> | undefined;

  /** @throws {SdkError} `invalid-argument` for an empty key list, a key of another size, or a limit out of range. */
  constructor(options: StateSealOptions = {}) {
    checkOptions("requestState", options, OPTIONS);
    const { keys, ttlMs = DEFAULT_TTL_MS, maxStateBytes = DEFAULT_MAX_STATE_BYTES, singleUse = false } = options;
    checkLifetime("ttlMs", ttlMs);
    checkWholeNumber("maxStateBytes", maxStateBytes, 1);
    this.#secrets = keys === undefined ? undefined : copyKeys(keys);
    this.#ttlMs = ttlMs;
    this.#maxStateBytes = maxStateBytes;
    this.#now = options.now ?? Date.now;
    this.#used = typeof singleUse === "object" ? singleUse : undefined;
    if (singleUse === true) this.#used = new InMemoryUsedStates({ now: this.#now });
    if (this.#used) checkMethods("requestState: singleUse", this.#used, "true or a UsedStates", ["claim"]);
  }

  /** Encrypts a payload. @throws {SdkError} `invalid-argument` for a payload that is not JSON, or a state that is too long. */
  async seal(payload: unknown, binding: StateBinding): Promise<string> {
    const json = new TextEncoder().encode(serializeJson(payload));
    const plain = new Uint8Array(PAYLOAD_START + json.length);
    plain.set(await bindingDigest(binding));
    new DataView(plain.buffer).setFloat64(DIGEST_BYTES, this.#now() + this.#ttlMs);
    plain.set(json, PAYLOAD_START);

    const sealed = new Uint8Array(NONCE_END + plain.length + TAG_BYTES);
    sealed[0] = FORMAT;
    crypto.getRandomValues(sealed.subarray(1, NONCE_END));
    const [key] = (await this.#loadKeys()) as [SealKey]; // the constructor refuses an empty list
    sealed.set(new Uint8Array(await crypto.subtle.encrypt(algorithm(sealed), key, plain)), NONCE_END);
    return this.#checkLength(encodeBase64Url(sealed));
  }

  /**
   * Decrypts a state and returns its payload.
   * @throws {ProtocolError} -32602, with the same message for every state that does not open. Its cause has the reason, for the
   * server's logs.
   * @throws the error of the `UsedStates` store.
   */
  async open(state: string, binding: StateBinding): Promise<unknown> {
    if (state.length > this.#maxStateBytes) throw refusal(`it is longer than ${this.#maxStateBytes} bytes`);
    const sealed = decodeBase64Url(state);
    if (sealed?.[0] !== FORMAT) throw refusal("it is malformed");

    const plain = await this.#decrypt(sealed);
    if (plain === undefined) throw refusal("no key opens it: it was changed, or sealed with other keys than these");
    const expiresAt = new DataView(plain.buffer).getFloat64(DIGEST_BYTES);
    // Negated `<` instead of `>=`: a clock that returns NaN opens nothing.
    if (!(this.#now() < expiresAt)) throw refusal("it has expired");
    const digest = await bindingDigest(binding).catch((cause) => {
      throw refusal("the params are not JSON", cause);
    });
    if (!digest.every((byte, index) => byte === plain[index])) {
      throw refusal("it was sealed for another principal, method or params");
    }
    // Claimed last, so that a state refused for another reason stays usable.
    const id = encodeBase64Url(sealed.subarray(1, NONCE_END));
    if (this.#used !== undefined && !(await this.#used.claim(id, expiresAt, binding.principal))) {
      throw refusal("it was used before");
    }
    return JSON.parse(new TextDecoder().decode(plain.subarray(PAYLOAD_START)));
  }

  // Called at first use, since some runtimes provide no random bytes while modules load.
  #loadKeys(): Promise<SealKey[]> {
    const secrets = () => this.#secrets ?? [crypto.getRandomValues(new Uint8Array(KEY_BYTES))];
    this.#keys ??= Promise.all(secrets().map(importKey));
    return this.#keys;
  }

  async #decrypt(sealed: Uint8Array): Promise<Uint8Array | undefined> {
    for (const key of await this.#loadKeys()) {
      try {
        return new Uint8Array(await crypto.subtle.decrypt(algorithm(sealed), key, sealed.subarray(NONCE_END)));
      } catch {
        // Try the next key.
      }
    }
    return undefined;
  }

  #checkLength(state: string): string {
    if (state.length <= this.#maxStateBytes) return state;
    throw new SdkError(
      "invalid-argument",
      `requestState: ${state.length} bytes once sealed, but maxStateBytes is ${this.#maxStateBytes}; ` +
        "keep less from round to round, or raise the limit",
    );
  }
}

/**
 * The SHA-256 of a binding. The order of object members does not matter.
 * @throws {SdkError} `invalid-argument` for params that JSON cannot express.
 */
export async function bindingDigest({ principal, method, params }: StateBinding): Promise<Uint8Array> {
  const text = serializeJson([principal ?? null, method]) + paramsText(params);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

function paramsText(params: JsonObject): string {
  try {
    return canonicalJson(params);
  } catch (cause) {
    throw new SdkError("invalid-argument", "The params cannot be serialized as JSON", { cause });
  }
}

/** Without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Undefined for any text that `encodeBase64Url` does not produce. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  const characters = decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(characters, (character) => character.charCodeAt(0));
  return encodeBase64Url(bytes) === text ? bytes : undefined;
}

/** Copies the keys, so that later changes to the arrays have no effect. */
function copyKeys(keys: readonly Uint8Array[]): Uint8Array[] {
  if (keys.length === 0) throw new SdkError("invalid-argument", "keys: expected at least one, got none");
  return keys.map((key, index) => {
    if (key instanceof Uint8Array && key.length === KEY_BYTES) return new Uint8Array(key);
    const got = key instanceof Uint8Array ? `${key.length} bytes` : typeof key;
    throw new SdkError("invalid-argument", `keys[${index}]: expected a Uint8Array of ${KEY_BYTES} bytes, got ${got}`);
  });
}

function importKey(secret: Uint8Array): Promise<SealKey> {
  return crypto.subtle.importKey("raw", secret, "AES-GCM", false, ["encrypt", "decrypt"]);
}

function algorithm(sealed: Uint8Array): { name: string; iv: Uint8Array; additionalData: Uint8Array } {
  return { name: "AES-GCM", iv: sealed.subarray(1, NONCE_END), additionalData: sealed.subarray(0, 1) };
}

function refusal(reason: string, cause?: unknown): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, "requestState: not valid for this request; start over without it", {
    cause: new Error(`The requestState does not open: ${reason}`, { cause }),
  });
}
