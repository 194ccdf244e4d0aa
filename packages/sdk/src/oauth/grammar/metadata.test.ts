import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SdkError } from "../../errors/sdk-error.js";
import { parseAuthorizationServerMetadata, parseClientMetadata, parseProtectedResourceMetadata } from "./metadata.js";
import { OAuthError } from "./oauth-error.js";

const RESOURCE = { resource: "https://mcp.example.com/mcp", authorization_servers: ["https://auth.example.com"] };
const SERVER = {
  issuer: "https://auth.example.com",
  authorization_endpoint: "https://auth.example.com/authorize",
  token_endpoint: "https://auth.example.com/token",
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
};
const CLIENT = { client_name: "Example", redirect_uris: ["http://127.0.0.1/cb"] };

describe("metadata of a protected resource", () => {
  test("is read field by field, without those that nobody knows", () => {
    expect(parseProtectedResourceMetadata({ ...RESOURCE, scopes_supported: ["a"], unknown: 1 })).toEqual({
      ...RESOURCE,
      scopes_supported: ["a"],
    });
  });

  test("may have null for what it leaves out", () => {
    expect(parseProtectedResourceMetadata({ ...RESOURCE, jwks_uri: null })).toEqual(RESOURCE);
  });

  test("loses links that are no web pages", () => {
    const given = {
      ...RESOURCE,
      resource_documentation: "javascript:alert(1)",
      resource_tos_uri: "https://h.example/",
    };
    expect(parseProtectedResourceMetadata(given)).toEqual({ ...RESOURCE, resource_tos_uri: "https://h.example/" });
  });

  test.each([
    [[], "the document must be a JSON object"],
    [{}, "resource is missing"],
    [Object.create({ resource: "https://h.example" }), "resource is missing"],
    [{ resource: 1 }, "resource must be a string"],
    [{ resource: "no URL" }, "resource must be a URL"],
    [{ ...RESOURCE, authorization_servers: "https://h.example" }, "authorization_servers must be an array"],
    [{ ...RESOURCE, authorization_servers: ["https://h.example", "ftp://h.example"] }, "https URL"],
    [{ ...RESOURCE, authorization_servers: [1] }, "authorization_servers must be a URL (item 0)"],
    [{ ...RESOURCE, scopes_supported: [1] }, "scopes_supported must be a string (item 0)"],
    [{ ...RESOURCE, scopes_supported: Array.from({ length: 1_001 }, String) }, "more than 1000 items"],
    [{ ...RESOURCE, resource_name: "x".repeat(4_097) }, "resource_name must not be longer than 4096 characters"],
    [{ ...RESOURCE, dpop_bound_access_tokens_required: "yes" }, "must be a boolean"],
  ])("is refused with the field in %j", (given, problem) => {
    expect(() => parseProtectedResourceMetadata(given)).toThrow(
      expect.objectContaining({ code: "authorization-failed", message: expect.stringContaining(problem) }),
    );
  });
});

describe("metadata of an authorization server", () => {
  test("is read field by field", () => {
    expect(parseAuthorizationServerMetadata({ ...SERVER, unknown: 1 })).toEqual(SERVER);
  });

  test("may have endpoints without https on loopback hosts", () => {
    const local = { issuer: "http://localhost:9000", token_endpoint: "http://127.0.0.1:9000/token" };
    expect(parseAuthorizationServerMetadata(local)).toEqual(local);
  });

  test.each([
    ["javascript:alert(1)", "https URL"],
    ["data:text/html,x", "https URL"],
    ["file:///etc/passwd", "https URL"],
    ["http://auth.example.com/", "https URL"],
    ["https://user:secret@auth.example.com/", "credentials"],
    ["https://auth.example.com/#x", "fragment"],
    [`https://auth.example.com/${"x".repeat(2_048)}`, "must be a URL"],
    ["/authorize", "must be a URL"],
    [7, "must be a URL"],
  ])("may not have the endpoint %s", (endpoint, problem) => {
    for (const field of ["authorization_endpoint", "token_endpoint", "registration_endpoint", "jwks_uri"]) {
      const parse = () => parseAuthorizationServerMetadata({ ...SERVER, [field]: endpoint });
      expect(parse).toThrow(expect.objectContaining({ code: "authorization-failed" }));
      expect(parse).toThrow(field);
      expect(parse).toThrow(problem);
      expect(parse).not.toThrow("secret");
    }
  });

  test.each([
    [{ ...SERVER, issuer: undefined }, "issuer is missing"],
    [{ ...SERVER, issuer: "https://auth.example.com/?a=1" }, "issuer must not contain a query"],
    [null, "the document must be a JSON object"],
  ])("is refused with the field in %j", (given, problem) => {
    expect(() => parseAuthorizationServerMetadata(given)).toThrow(problem);
  });
});

describe("metadata of a client", () => {
  test("is read field by field", () => {
    const given = { ...CLIENT, grant_types: ["authorization_code"], jwks: { keys: [] } };
    expect(parseClientMetadata({ ...given, unknown: 1 })).toEqual(given);
  });

  test("needs no redirect URIs without the grant that redirects", () => {
    expect(parseClientMetadata({ grant_types: ["client_credentials"] })).toEqual({
      redirect_uris: [],
      grant_types: ["client_credentials"],
    });
  });

  test.each([
    [{ client_name: "Example" }, "redirect_uris must have at least one item"],
    [{ redirect_uris: ["https://h.example/", "javascript:alert(1)"] }, "redirect_uris[1] must use https"],
    [{ redirect_uris: Array.from({ length: 33 }, () => "https://h.example/") }, "more than 32 items"],
    [{ ...CLIENT, jwks: [] }, "jwks must be an object"],
    [{ ...CLIENT, jwks_uri: "file:///x" }, "jwks_uri must be an https URL"],
    ["{}", "the document must be a JSON object"],
  ])("is refused with the field in %j", (given, problem) => {
    expect(() => parseClientMetadata(given)).toThrow(
      expect.objectContaining({
        code: "invalid_client_metadata",
        status: 400,
        description: expect.stringContaining(problem),
      }),
    );
  });
});

test("any document is read, or refused with a documented error that repeats little of it", () => {
  const urls = fc.constantFrom("https://h.example/a", "javascript:0", "http://h.example", "https://u:p@h.example");
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), urls, fc.array(urls, { maxLength: 3 }));
  const field = fc.constantFrom("resource", "issuer", "redirect_uris", "jwks", "jwks_uri", "__proto__", "logo_uri");
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(field, value), fc.jsonValue({ maxDepth: 2 })), (document) => {
      for (const parse of [parseProtectedResourceMetadata, parseAuthorizationServerMetadata, parseClientMetadata]) {
        try {
          const parsed = parse(document);
          expect(JSON.parse(JSON.stringify(document))).toMatchObject(
            "redirect_uris" in (document as object) || !("redirect_uris" in parsed) ? parsed : {},
          );
        } catch (error) {
          if (!(error instanceof SdkError || error instanceof OAuthError)) throw error;
          expect(error.message.length).toBeLessThan(300);
        }
      }
    }),
  );
});
