/** An authorization server for tests: keys, metadata, introspection, and a `fetch` that answers for it. */
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { Fetch } from "../../transport/http/fetch-http.js";

export const RESOURCE = "https://mcp.example.com/mcp";
export const ISSUER = "https://login.example.com";
export const NOW = 1_800_000_000_000;

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
type Answer = () => Response;

export class TestIssuer {
  readonly issuer: string;
  /** Every URL that was fetched. */
  readonly fetched: string[] = [];
  /** Answers by URL; others are 404. */
  readonly answers: Map<string, Answer> = new Map();
  now: number = NOW;
  #keys: JWK[] = [];
  #current!: Pair;
  #kid = "";

  private constructor(issuer: string) {
    this.issuer = issuer;
    this.answers.set(`${issuer}/.well-known/oauth-authorization-server`, () =>
      Response.json({
        issuer,
        jwks_uri: `${issuer}/keys`,
        introspection_endpoint: `${issuer}/introspect`,
        response_types_supported: ["code"],
      }),
    );
    this.answers.set(`${issuer}/keys`, () => Response.json({ keys: this.#keys }));
  }

  static async create(issuer: string = ISSUER): Promise<TestIssuer> {
    const created = new TestIssuer(issuer);
    await created.rotate("first");
    return created;
  }

  get publicKey(): JWK {
    return this.#keys[0] ?? {};
  }

  /** Signs with a new key from now on, and publishes no other. */
  async rotate(kid: string): Promise<void> {
    this.#current = await generateKeyPair("ES256");
    this.#kid = kid;
    this.#keys = [{ ...(await exportJWK(this.#current.publicKey)), kid, alg: "ES256" }];
  }

  readonly fetch: Fetch = async (url) => {
    this.fetched.push(url.href);
    return this.answers.get(url.href)?.() ?? new Response("", { status: 404 });
  };

  /** A token that the resource accepts, unless claims or header are spoiled. */
  token(claims: Record<string, unknown> = {}, header: { typ?: string; kid?: string } = {}): Promise<string> {
    const seconds = this.now / 1_000;
    const all = { iss: this.issuer, aud: RESOURCE, sub: "ann", client_id: "app", iat: seconds, exp: seconds + 300 };
    return new SignJWT({ ...all, scope: "files:read", ...claims })
      .setProtectedHeader({ alg: "ES256", kid: this.#kid, typ: "at+jwt", ...header })
      .sign(this.#current.privateKey);
  }
}
