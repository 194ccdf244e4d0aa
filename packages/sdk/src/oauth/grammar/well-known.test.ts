import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { authorizationServerMetadataUrls, resourceMetadataUrls } from "./well-known.js";

const hrefs = (urls: readonly URL[]) => urls.map(({ href }) => href);

describe("the metadata of a resource", () => {
  test.each([
    [
      "https://example.com/public/mcp",
      [
        "https://example.com/.well-known/oauth-protected-resource/public/mcp",
        "https://example.com/.well-known/oauth-protected-resource",
      ],
    ],
    [
      "https://example.com/mcp/?tenant=1#part",
      [
        "https://example.com/.well-known/oauth-protected-resource/mcp?tenant=1",
        "https://example.com/.well-known/oauth-protected-resource",
      ],
    ],
    ["https://example.com:8443/", ["https://example.com:8443/.well-known/oauth-protected-resource"]],
  ])("of %s lies below the path, then at the root", (resource, expected) => {
    expect(hrefs(resourceMetadataUrls(new URL(resource)))).toEqual(expected);
  });
});

describe("the metadata of an authorization server", () => {
  test.each([
    [
      "https://auth.example.com/tenant1",
      [
        "https://auth.example.com/.well-known/oauth-authorization-server/tenant1",
        "https://auth.example.com/.well-known/openid-configuration/tenant1",
        "https://auth.example.com/tenant1/.well-known/openid-configuration",
      ],
    ],
    [
      "https://auth.example.com/a/b/",
      [
        "https://auth.example.com/.well-known/oauth-authorization-server/a/b",
        "https://auth.example.com/.well-known/openid-configuration/a/b",
        "https://auth.example.com/a/b/.well-known/openid-configuration",
      ],
    ],
    [
      "https://auth.example.com",
      [
        "https://auth.example.com/.well-known/oauth-authorization-server",
        "https://auth.example.com/.well-known/openid-configuration",
      ],
    ],
  ])("of %s is tried in the order of the specification", (issuer, expected) => {
    expect(hrefs(authorizationServerMetadataUrls(new URL(issuer)))).toEqual(expected);
  });
});

test("metadata lies on the origin that was asked for, whatever its path looks like", () => {
  const path = fc.string({ unit: fc.constantFrom(..."/\\.@:?#%", "evil.example") });
  fc.assert(
    fc.property(path, (text) => {
      const url = new URL("https://example.com");
      url.pathname = `/${text}`;
      for (const { origin } of [...resourceMetadataUrls(url), ...authorizationServerMetadataUrls(url)]) {
        expect(origin).toBe("https://example.com");
      }
    }),
  );
});
