import { expect, it } from "vitest";
import type { TokenRecord } from "./token-record.js";
import { revokeTokens } from "./token-revocation.js";

const ISSUER = "https://login.example.com";
const server = {
  issuer: ISSUER,
  metadata: { issuer: ISSUER, revocation_endpoint: `${ISSUER}/revoke` },
  isDescribed: true,
};
const record: TokenRecord = {
  ...{ issuer: ISSUER, clientId: "id", resource: "https://mcp.example.com/mcp", accessToken: "the-access-token" },
  ...{ scheme: "Bearer", scopes: [], requestedScopes: [], login: "login" },
};

it("revokes the access token alone where there is no refresh token", async () => {
  const bodies: string[] = [];
  const fetch = async (_url: string | URL, init?: { body?: unknown }) => {
    bodies.push(`${init?.body}`);
    return new Response(null, { status: 200 });
  };
  await revokeTokens(record, { server, client: { clientId: "id" }, fetch });
  expect(bodies).toEqual([expect.stringContaining("token=the-access-token")]);
});

it("quotes neither the token nor the secret of the client in its errors", async () => {
  const description = "the-access-token of the-secret is unknown";
  const fetch = async () =>
    Response.json({ error: "invalid_request", error_description: description }, { status: 400 });
  const revoking = revokeTokens(record, { server, client: { clientId: "id", clientSecret: "the-secret" }, fetch });
  await expect(revoking).rejects.toMatchObject({ code: "invalid_request", description: "… of … is unknown" });
});

it("needs the client that the tokens were issued to", async () => {
  const fetch = () => Promise.reject(new Error("unused"));
  for (const client of [undefined, { clientId: "another" }]) {
    await expect(revokeTokens(record, { server, client, fetch })).rejects.toThrow("the client id is gone");
  }
});
