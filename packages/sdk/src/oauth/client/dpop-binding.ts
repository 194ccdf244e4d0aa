/** Binds the tokens of one session to a key (RFC 9449): proofs for both servers, with the nonces that they ask for. */
import type { JsonObject } from "../../protocol/json.js";
import { BoundedMap } from "../../runtime/bounded-map.js";
import { createDpopProof, type DpopKey, exportDpopKey, generateDpopKey, importDpopKey } from "../grammar/dpop-proof.js";
import type { GuardedFetch, GuardedInit } from "../grammar/guarded-fetch.js";

const NONCE_HEADER = "dpop-nonce";
/** A session talks to a resource and its authorization server, and perhaps to one that it moved to. */
const MAX_NONCES = 8;
const MAX_NONCE_LENGTH = 4_096;

export class DpopBinding {
  readonly #key: DpopKey;
  readonly #now: () => number;
  /** The last nonce of each origin. */
  readonly #nonces = new BoundedMap<string, string>({
    maxEntries: MAX_NONCES,
    maxWeight: MAX_NONCES * MAX_NONCE_LENGTH,
  });

  private constructor(key: DpopKey, now: () => number) {
    this.#key = key;
    this.#now = now;
  }

  /** @param now the clock that proofs are dated by, in milliseconds since 1970 */
  static async create(now: () => number): Promise<DpopBinding> {
    return new DpopBinding(await generateDpopKey(), now);
  }

  /** A binding to a key that `exportKey` gave; undefined for anything else. */
  static async restore(key: JsonObject, now: () => number): Promise<DpopBinding | undefined> {
    try {
      return new DpopBinding(await importDpopKey(key), now);
    } catch {
      return undefined;
    }
  }

  async exportKey(): Promise<JsonObject> {
    // A JSON Web Key is a JSON object.
    return (await exportDpopKey(this.#key)) as JsonObject;
  }

  proof(method: string, url: URL, accessToken?: string): Promise<string> {
    const nonce = this.#nonces.get(url.origin);
    return createDpopProof(this.#key, {
      method,
      url: `${url.origin}${url.pathname}`,
      issuedAt: new Date(this.#now()),
      ...(nonce !== undefined && { nonce }),
      ...(accessToken !== undefined && { accessToken }),
    });
  }

  /** Remembers the nonce of a response. True if it is another than the last one, so that a second attempt has a chance. */
  heard(url: URL, nonce: string | null | undefined): boolean {
    if (!nonce || nonce.length > MAX_NONCE_LENGTH || nonce === this.#nonces.get(url.origin)) return false;
    this.#nonces.set(url.origin, nonce, nonce.length);
    return true;
  }

  /** A `fetch` for a token endpoint: adds proofs, and sends a request again that lacked the nonce. */
  fetch(plain: GuardedFetch): GuardedFetch {
    return async (input, init = {}) => {
      const url = new URL(input);
      const response = await this.#send(plain, url, init);
      const isNew = this.heard(url, response.headers.get(NONCE_HEADER));
      if (response.ok || !isNew || !(await isNonceError(response))) return response;
      const second = await this.#send(plain, url, init);
      this.heard(url, second.headers.get(NONCE_HEADER));
      return second;
    };
  }

  async #send(plain: GuardedFetch, url: URL, init: GuardedInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("dpop", await this.proof(init.method ?? "GET", url));
    return plain(url, { ...init, headers });
  }
}

async function isNonceError(response: Response): Promise<boolean> {
  return (await response.clone().text()).includes("use_dpop_nonce");
}
