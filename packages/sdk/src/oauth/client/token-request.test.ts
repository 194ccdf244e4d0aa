import { expect, it } from "vitest";
import { requestTokens } from "./token-request.js";

const ISSUER = "https://login.example.com";
const server = {
  issuer: ISSUER,
  metadata: { issuer: ISSUER, token_endpoint: `${ISSUER}/token` },
  isDescribed: true,
};

it("takes the secrets that a server repeats out of its error", async () => {
  const parameters = { refresh_token: "the-refresh-token", resource: "https://mcp.example.com/mcp" };
  const error = await requestTokens({
    server,
    client: { clientId: "app", clientSecret: "the-secret", authMethod: "client_secret_post" },
    grantType: "refresh_token",
    parameters,
    fetch: async (_url, init) => {
      const sent = [...new URLSearchParams(String(init?.body)).values()].join(" ");
      return Response.json({ error: "invalid_grant", error_description: `cannot use ${sent}` }, { status: 400 });
    },
  }).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain("https://mcp.example.com/mcp");
  expect(String(error)).not.toContain("the-refresh-token");
  expect(String(error)).not.toContain("the-secret");
});
