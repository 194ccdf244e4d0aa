/** Tokens of a dynamic registration that a later login at the same authorization server has replaced. */
import { expect, it } from "vitest";
import { InMemoryCredentialStore } from "./credential-store.js";
import { oauth } from "./oauth.js";
import type { OAuthAuthorization } from "./oauth-authorization.js";

const ISSUER = "https://login.example.com";
const NOTES = new URL("https://notes.example.com/mcp");
const MAIL = new URL("https://mail.example.com/mcp");

/** An authorization server that registers clients with secrets. It answers a client in `removed` with `invalid_client`. */
class ScriptedIssuer {
  readonly requests: string[] = [];
  readonly removed = new Set<string>();
  secretExpiresAt = 0;
  #registered = 0;

  readonly fetch = async (
    url: URL,
    { body = "", headers = {} }: { body?: string; headers?: Record<string, string> },
  ) => {
    if (url.pathname.startsWith("/.well-known/oauth-protected-resource")) {
      return Response.json({ resource: `${url.origin}/mcp`, authorization_servers: [ISSUER] });
    }
    if (url.pathname === "/register") return this.#register();
    if (url.pathname.startsWith("/.well-known/")) return Response.json(METADATA);
    const client = atob(String(new Headers(headers).get("authorization")).replace("Basic ", ""));
    const grant = new URLSearchParams(body).get("grant_type") ?? "";
    this.requests.push(`${url.pathname} ${grant} by ${client}`);
    if (this.removed.has(client)) return Response.json({ error: "invalid_client" }, { status: 401 });
    if (url.pathname === "/revoke") return new Response();
    return Response.json({
      access_token: crypto.randomUUID(),
      refresh_token: "r",
      token_type: "Bearer",
      expires_in: 100,
    });
  };

  #register(): Response {
    this.#registered += 1;
    const client = { client_id: `id-${this.#registered}`, client_secret: `secret-${this.#registered}` };
    const method = {
      token_endpoint_auth_method: "client_secret_basic",
      client_secret_expires_at: this.secretExpiresAt,
    };
    return Response.json({ ...client, ...method }, { status: 201 });
  }
}

const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  registration_endpoint: `${ISSUER}/register`,
  revocation_endpoint: `${ISSUER}/revoke`,
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["client_secret_basic"],
};

const REFUSED = { reason: "login", challenge: undefined, used: undefined, isRefreshed: false } as const;

/** Logs in to the notes from one process and to the mail from the next one, whose loopback redirect has another port. */
async function loggedInTwice(issuer: ScriptedIssuer): Promise<{ readonly notes: OAuthAuthorization; atMs: number }> {
  const store = new InMemoryCredentialStore();
  const clock = { atMs: 0 };
  const process = (port: number) => {
    const receive = async (_url: URL, state: string) => new URLSearchParams({ state, code: "c" });
    const redirect = { redirectUri: `http://127.0.0.1:${port}/callback`, receive };
    return oauth({ store, redirect, fetch: issuer.fetch as never, now: () => clock.atMs });
  };
  await process(1).session(NOTES).renew(REFUSED);
  const notes = process(2);
  await notes.session(MAIL).renew(REFUSED);
  return Object.assign(clock, { notes });
}

it("refreshes tokens as the client that got them", async () => {
  const issuer = new ScriptedIssuer();
  const clock = await loggedInTwice(issuer);

  clock.atMs = 90_000;
  const refreshed = await clock.notes.session(NOTES).current();
  clock.atMs = 180_000;
  const again = await clock.notes.session(NOTES).current();

  expect(issuer.requests.slice(2)).toEqual(new Array(2).fill("/token refresh_token by id-1:secret-1"));
  expect(again).toMatchObject({ clientId: "id-1", login: refreshed?.login });
});

it("revokes tokens as the client that got them", async () => {
  const issuer = new ScriptedIssuer();
  const { notes } = await loggedInTwice(issuer);

  expect(await notes.logOut(NOTES)).toEqual({ isRevoked: true });
  expect(issuer.requests.slice(2)).toEqual(new Array(2).fill("/revoke  by id-1:secret-1"));
});

it("keeps the registration of other tokens if the server has removed the client of these", async () => {
  const issuer = new ScriptedIssuer();
  const clock = await loggedInTwice(issuer);
  issuer.removed.add("id-1:secret-1");

  clock.atMs = 90_000;
  await clock.notes.session(NOTES).current();
  await clock.notes.session(NOTES).renew(REFUSED);

  expect(issuer.requests.slice(2)).toEqual([
    "/token refresh_token by id-1:secret-1",
    "/token authorization_code by id-2:secret-2",
  ]);
});

it("sends no secret that has expired", async () => {
  const issuer = new ScriptedIssuer();
  issuer.secretExpiresAt = 90;
  const clock = await loggedInTwice(issuer);

  clock.atMs = 90_000;
  await clock.notes.session(NOTES).current();

  expect(issuer.requests.slice(2)).toEqual([]);
});

it("keeps tokens of another registration if the server refuses the client of a login", async () => {
  const issuer = new ScriptedIssuer();
  const { notes } = await loggedInTwice(issuer);
  const held = await notes.session(NOTES).current();
  issuer.removed.add("id-2:secret-2");

  const refusal = { ...REFUSED, reason: "scopes", used: held } as const;
  await expect(notes.session(NOTES).renew(refusal)).rejects.toMatchObject({ cause: { code: "invalid_client" } });

  expect(await notes.session(NOTES).current()).toEqual(held);
  expect(await notes.session(NOTES).renew(refusal)).toMatchObject({ record: { clientId: "id-3" } });
});
