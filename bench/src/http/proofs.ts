/** Proofs of RFC 9449 for a load: each request of a bound token needs one of its own, signed when it goes out. */
import { createHash, createPrivateKey, type KeyObject, randomUUID, sign } from "node:crypto";

/** The key that a token is bound to, and the URL that its proofs are for. */
export interface ProofKey {
  readonly privateJwk: Readonly<Record<string, unknown>>;
  readonly url: string;
}

export class Proofs {
  readonly #key: KeyObject;
  readonly #header: string;
  readonly #claims: object;

  constructor({ privateJwk, url }: ProofKey, token: string) {
    const { d: _secret, ...jwk } = privateJwk;
    this.#key = createPrivateKey({ key: { ...privateJwk }, format: "jwk" });
    this.#header = encode({ alg: "ES256", typ: "dpop+jwt", jwk });
    this.#claims = { htm: "POST", htu: url, ath: createHash("sha256").update(token).digest("base64url") };
  }

  next(): string {
    const iat = Math.floor(Date.now() / 1_000);
    const signed = `${this.#header}.${encode({ ...this.#claims, jti: randomUUID(), iat })}`;
    const signature = sign("sha256", Buffer.from(signed), { key: this.#key, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  }
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
