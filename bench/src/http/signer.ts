/** Signs tokens and proofs with ES256, for servers that check them. */
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;

export class Signer {
  /** The public key. */
  readonly jwk: Readonly<Record<string, unknown>>;
  /** The private key. */
  readonly privateJwk: Readonly<Record<string, unknown>>;
  readonly #key: Awaited<ReturnType<typeof crypto.subtle.importKey>>;

  private constructor(jwk: Signer["jwk"], privateKey: Awaited<ReturnType<typeof crypto.subtle.importKey>>) {
    const { kty, crv, x, y } = jwk;
    this.jwk = { kty, crv, x, y };
    this.privateJwk = { kty, crv, x, y, d: jwk.d };
    this.#key = privateKey;
  }

  static async create(): Promise<Signer> {
    const { privateKey } = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
    return new Signer({ ...(await crypto.subtle.exportKey("jwk", privateKey)) }, privateKey);
  }

  async sign(header: object, claims: object): Promise<string> {
    const signed = `${encode(JSON.stringify({ alg: "ES256", ...header }))}.${encode(JSON.stringify(claims))}`;
    const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, this.#key, Buffer.from(signed));
    return `${signed}.${Buffer.from(signature).toString("base64url")}`;
  }

  /** The thumbprint of the key by RFC 7638. */
  async thumbprint(): Promise<string> {
    const { crv, kty, x, y } = this.jwk;
    return digest(JSON.stringify({ crv, kty, x, y }));
  }
}

/** SHA-256 as OAuth writes it. */
async function digest(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(text))).toString("base64url");
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
