import { describe, expect, it } from "vitest";
import { CORP, json, OPENID, upstreamTest } from "./upstream-login.fixture.js";
import { upstreamLogin } from "./upstream-login.js";

const DISCOVERY = "GET https://login.corp.example/.well-known/openid-configuration";
const TOKEN = "POST https://login.corp.example/token";

describe("a provider with wrong settings", () => {
  it("refuses an issuer that the metadata spells otherwise, and shows both", async () => {
    const provider = { ...OPENID, issuer: `${OPENID.issuer}/` };
    const { browser, failures } = upstreamTest({ ...CORP, provider });
    await browser.authorize();
    expect(await browser.submit({ provider: "corp" })).toMatchObject({ error: "server_error" });
    expect(failures[0]?.message).toBe(
      `Corp: its metadata names the issuer "${OPENID.issuer}", and the provider has "${OPENID.issuer}/"; write it exactly so`,
    );
  });

  it.each([
    [
      () => new Response("<p>Not here</p>", { status: 404 }),
      "Corp: its metadata was answered with status 404; check issuer",
    ],
    [() => new Response("<p>Welcome</p>"), "issuer is missing"],
  ])("names metadata that is none", async (answer, complaint) => {
    const { browser, failures, providers } = upstreamTest();
    providers.answers[DISCOVERY] = answer;
    await browser.authorize();
    expect(await browser.submit({ provider: "corp" })).toMatchObject({ error: "server_error" });
    expect(failures[0]?.message).toContain(complaint);
  });

  it.each([
    () => new Response("", { status: 401, headers: { "www-authenticate": "Basic" } }),
    () => json({ error: "invalid_client" }, 401),
    () => json({ error: "incorrect_client_credentials" }),
  ])("names the options of credentials that the provider refuses", async (answer) => {
    const { logIn, failures, providers } = upstreamTest();
    providers.answers[TOKEN] = answer;
    expect(await logIn()).toMatchObject({ error: "server_error" });
    expect(failures[0]?.message).toBe(
      "Corp: refused the credentials of this server: check clientId and clientSecret of upstreamLogin",
    );
  });
});

it.each([
  [{ ...CORP, alow: () => false }, 'upstreamLogin: there is no option "alow"; did you mean "allow"?'],
  [{ ...CORP, provider: { ...OPENID, scope: ["openid"] } }, 'provider "corp": there is no option "scope"'],
  [{ providers: [{ ...CORP, secret: "x" }] }, 'upstreamLogin: providers: there is no option "secret"'],
])("refuses options that would have no effect", (options, message) => {
  expect(() => upstreamLogin(options as never)).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(message) }),
  );
});
