import { expect, it } from "vitest";
import { exchangeIdentity } from "./identity-provider.js";

const provider = {
  issuer: "https://idp.example.com",
  tokenEndpoint: "https://idp.example.com/exchange",
  client: { clientId: "id" },
  subjectToken: async () => "assertion",
  subjectTokenType: "urn:ietf:params:oauth:token-type:saml2",
};
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

function exchange(answer: object, options = {}) {
  const seen: { url: string; form: URLSearchParams }[] = [];
  const fetch = async (url: string | URL, init: { body?: unknown } = {}) => {
    seen.push({ url: String(url), form: new URLSearchParams(String(init.body)) });
    return Response.json(answer);
  };
  const server = { issuer: "https://login.example.com", metadata: { issuer: "" }, isDescribed: true };
  const { signal } = new AbortController();
  const request = { server, resource: "https://mcp.example.com/mcp", scopes: [], fetch, signal, dpop: undefined };
  return { seen, jag: exchangeIdentity({ ...provider, ...options }, request) };
}

it("asks the given endpoint with the given kind of token", async () => {
  const { seen, jag } = exchange({ issued_token_type: ID_JAG, access_token: "jag" });
  expect(await jag).toBe("jag");
  expect(seen[0]?.url).toBe(provider.tokenEndpoint);
  expect(Object.fromEntries(seen[0]?.form ?? [])).toMatchObject({
    subject_token: "assertion",
    subject_token_type: provider.subjectTokenType,
  });
  expect(seen[0]?.form.has("scope")).toBe(false);
});

it.each([[{ issued_token_type: ID_JAG }], [{ issued_token_type: ID_JAG, access_token: "" }], [{ access_token: "a" }]])(
  "refuses %o",
  async (answer) => {
    await expect(exchange(answer).jag).rejects.toThrow("something else than an ID-JAG");
  },
);

it("sends nothing to an endpoint without TLS, or to none", async () => {
  const plain = exchange({}, { tokenEndpoint: "http://idp.example.com/token" });
  await expect(plain.jag).rejects.toThrow("must use https");
  const { jag } = exchange({ issuer: provider.issuer }, { tokenEndpoint: undefined });
  await expect(jag).rejects.toThrow("names no token_endpoint");
});
