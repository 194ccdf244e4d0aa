import { describe, expect, it } from "vitest";
import { auth0, github, google, keycloak, microsoftEntra } from "./provider-presets.js";
import { upstreamLogin } from "./upstream-login.js";

const TENANT = "6F1D4BD7-1111-2222-3333-444455556666";

describe("presets", () => {
  it.each([
    ["github", github, "https://github.com/login/oauth"],
    ["google", google, "https://accounts.google.com"],
    ["microsoft", microsoftEntra(TENANT), `https://login.microsoftonline.com/${TENANT.toLowerCase()}/v2.0`],
    ["auth0", auth0("example.eu.auth0.com"), "https://example.eu.auth0.com/"],
    ["keycloak", keycloak("https://login.example.com/realms/staff"), "https://login.example.com/realms/staff"],
  ])("%s can be used, and pins its issuer", (name, provider, issuer) => {
    expect(upstreamLogin({ provider, clientId: "mcp" }).callbacks).toEqual([name]);
    expect(provider.issuer).toBe(issuer);
  });

  it.each(["common", "organizations", "example.com"])("Microsoft with the tenant %s is refused", (tenant) => {
    expect(() => microsoftEntra(tenant)).toThrow("tenant must be the directory (tenant) id");
  });
});
