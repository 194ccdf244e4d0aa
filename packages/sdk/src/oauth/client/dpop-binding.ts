/** Binds the tokens of one session to a key (RFC 9449): makes proofs for the resource and the authorization server. */

import { BoundedMap } from "../../runtime/bounded-map.js";
import type { JsonObject } from "../../runtime/json.js";
import { createDpopProof, type DpopKey, exportDpopKey, generateDpopKey, importDpopKey } from "../grammar/dpop-proof.js";
import type { GuardedFetch } from "../grammar/guarded-fetch.js";

const NONCE_HEADER = "dpop-nonce";
/** Origins with a nonce: a resource, its authorization server, and possibly a new authorization server. */
const MAX_NONCES = 8;
/** Least clock difference that is corrected. Servers accept proofs of about a minute, so less is not the cause of a refusal. */
const MIN_SKEW_MS = 30_000;
/** Greatest clock difference that is corrected. A `Date` header that differs by more is ignored. */
const MAX_SKEW_MS = 86_400_000;
const MAX_NONCE_LENGTH = 4_096;

/** The request that a proof is made for. */
export interface ProofTarget {
  readonly method: string;
  readonly url: URL;
  readonly accessToken?: string | undefined;
}

/** The answer to a request with a proof. */
export interface ProvenAnswer<Answer> {
  readonly answer: Answer;
  /** The error code of a refusal. */
  readonly error: string | undefined;
  header(name: string): string | null | undefined;
  /** Called if the answer is not used. */
  discard?(): void;
}

export class DpopBinding {
  readonly #key: DpopKey;
  readonly #now: () => number;
  /** The last nonce of each origin. */
  readonly #nonces = new BoundedMap<string, string>({
    maxEntries: MAX_NONCES,
    maxWeight: MAX_NONCES * MAX_NONCE_LENGTH,
  });

  /** How far the clock of each origin is ahead of ours, as of the last refused proof there. */
  readonly #skews = new BoundedMap<string, number>({ maxEntries: MAX_NONCES, maxWeight: MAX_NONCES });

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
      issuedAt: new Date(this.#now() + (this.#skews.get(url.origin) ?? 0)),
      ...(nonce !== undefined && { nonce }),
      ...(accessToken !== undefined && { accessToken }),
    });
  }

  /** Stores the nonce of a response. True if it differs from the last one, so that a retry may succeed. */
  heard(url: URL, nonce: string | null | undefined): boolean {
    if (!nonce || nonce.length > MAX_NONCE_LENGTH || nonce === this.#nonces.get(url.origin)) return false;
    this.#nonces.set(url.origin, nonce, nonce.length);
    return true;
  }

  /** Sends a request with a proof. Sends it again, once per error code, if a new nonce or a corrected time may help. */
  async send<Answer>(
    { method, url, accessToken }: ProofTarget,
    attempt: (proof: string) => Promise<ProvenAnswer<Answer>>,
  ): Promise<Answer> {
    const cured = new Set<string | undefined>();
    for (;;) {
      const { answer, error, header, discard } = await attempt(await this.proof(method, url, accessToken));
      const isCured = this.#cure(url, error, header);
      if (!isCured || cured.has(error)) return answer;
      cured.add(error);
      discard?.();
    }
  }

  /** A `fetch` for a token endpoint that adds proofs and retries as `send` does. */
  fetch(plain: GuardedFetch): GuardedFetch {
    return (input, init = {}) => {
      const url = new URL(input);
      return this.send({ method: init.method ?? "GET", url }, async (proof) => {
        const headers = new Headers(init.headers);
        headers.set("dpop", proof);
        const answer = await plain(url, { ...init, headers });
        const error = answer.ok ? undefined : await proofErrorIn(answer);
        return { answer, error, header: (name) => answer.headers.get(name) };
      });
    };
  }

  #cure(url: URL, error: string | undefined, header: (name: string) => string | null | undefined): boolean {
    const isNewNonce = this.heard(url, header(NONCE_HEADER));
    if (error === "use_dpop_nonce") return isNewNonce;
    return error === "invalid_dpop_proof" && this.#adoptClock(url, header("date"));
  }

  /** Adopts the clock of a server that refused a proof. False if the refused proof had that time already. */
  #adoptClock(url: URL, date: string | null | undefined): boolean {
    const skewMs = Date.parse(date ?? "") - this.#now();
    const changeMs = Math.abs(skewMs - (this.#skews.get(url.origin) ?? 0));
    const isPlausible = changeMs >= MIN_SKEW_MS && Math.abs(skewMs) <= MAX_SKEW_MS;
    if (!isPlausible) return false;
    this.#skews.set(url.origin, skewMs, 1);
    return true;
  }
}

async function proofErrorIn(response: Response): Promise<string | undefined> {
  const text = await response.clone().text();
  return ["use_dpop_nonce", "invalid_dpop_proof"].find((code) => text.includes(code));
}
