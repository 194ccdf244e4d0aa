/** An authorization server for tests: signs tokens, and answers for its metadata and keys over an injected `fetch`. */
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { ProtectedResourceOptions } from "parley-mcp/oauth/resource";

export const ISSUER = "https://login.example.com";
export const RESOURCE = "https://mcp.example.com/mcp";

type Fetch = NonNullable<ProtectedResourceOptions["fetch"]>;

export class TestIssuer {
  /** Paths that were fetched, in order. */
  readonly fetched: string[] = [];
  /** Answers by path; others are 404. */
  readonly answers = new Map<string, (body: string | undefined) => Response>();
  #key!: Awaited<ReturnType<typeof generateKeyPair>>;
  #published: JWK = {};

  static async create(): Promise<TestIssuer> {
    const issuer = new TestIssuer();
    await issuer.rotate("first");
    const metadata = { issuer: ISSUER, jwks_uri: `${ISSUER}/keys`, introspection_endpoint: `${ISSUER}/introspect` };
    issuer.answers.set("/.well-known/oauth-authorization-server", () => Response.json(metadata));
    issuer.answers.set("/keys", () => Response.json({ keys: [issuer.#published] }));
    return issuer;
  }

  /** Publishes a new key in place of the old one, and signs with it. */
  async rotate(kid: string): Promise<void> {
    this.#key = await generateKeyPair("ES256");
    this.#published = { ...(await exportJWK(this.#key.publicKey)), kid, alg: "ES256" };
  }

  get publicKey(): JWK {
    return this.#published;
  }

  readonly fetch: Fetch = async (url, { body }) => {
    this.fetched.push(url.pathname);
    return this.answers.get(url.pathname)?.(body) ?? new Response("", { status: 404 });
  };

  /** What every protected resource of a test needs. */
  get options(): ProtectedResourceOptions {
    return { resource: RESOURCE, issuer: ISSUER, fetch: this.fetch };
  }

  /** A token for the resource; claims given as undefined are left out. */
  token(claims: Record<string, unknown> = {}, header: { kid?: string } = {}): Promise<string> {
    const now = Date.now() / 1_000;
    const all = { iss: ISSUER, aud: RESOURCE, sub: "ann", client_id: "app", exp: now + 300, ...claims };
    return new SignJWT(all)
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: this.#published.kid ?? "", ...header })
      .sign(this.#key.privateKey);
  }
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}
