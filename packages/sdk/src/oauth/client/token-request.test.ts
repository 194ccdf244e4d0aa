import { expect, it } from "vitest";
import { requestTokens } from "./token-request.js";

const ISSUER = "https://login.example.com";
const server = {
  issuer: ISSUER,
  metadata: { issuer: ISSUER, token_endpoint: `${ISSUER}/token` },
  isDescribed: true,
};

const secrets = { refresh_token: "the/refresh+token", client_secret: "the-secret" };

/** The error of a request whose server makes it from the values of the request, and from its body. */
function refusal(answer: (values: string, body: string) => object): Promise<unknown> {
  return requestTokens({
    server,
    client: { clientId: "app", clientSecret: secrets.client_secret, authMethod: "client_secret_post" },
    grantType: "refresh_token",
    parameters: { refresh_token: secrets.refresh_token, resource: "https://mcp.example.com/mcp" },
    fetch: async (_url, init) => {
      const body = String(init?.body);
      const values = [...new URLSearchParams(body).values()].join(" ");
      return Response.json(answer(values, body), { status: 400 });
    },
  }).catch((thrown: unknown) => thrown);
}

it.each([
  ["the values of the request", (values: string) => ({ error: "invalid_grant", error_description: values })],
  ["its body", (_values: string, body: string) => ({ error: "invalid_grant", error_description: body })],
  ["its values as the code", (values: string) => ({ error: `cannot use ${values}` })],
])("takes the secrets that a server repeats out of its error: %s", async (_what, answer) => {
  const error = String(await refusal(answer));
  expect(error).toContain("mcp.example.com");
  for (const secret of ["the/refresh", "the%2Frefresh", secrets.client_secret]) expect(error).not.toContain(secret);
});
