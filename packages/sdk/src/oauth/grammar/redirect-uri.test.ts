import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchesRedirectUri, redirectUriProblem } from "./redirect-uri.js";

describe("a redirect URI", () => {
  test.each([
    "https://app.example.com/cb",
    "HTTPS://app.example.com/cb?x=1",
    "http://localhost/cb",
    "http://localhost:3000",
    "http://127.0.0.1:3000/cb",
    "http://[::1]:3000/cb?x=1",
  ])("may be %s", (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined();
  });

  test.each([
    ["http://app.example.com/cb", "must use https"],
    ["http://127.0.0.2/cb", "must use https"],
    ["http://localhost.example.com/cb", "must use https"],
    ["http://localhost@example.com/cb", "must use https"],
    ["javascript:alert(1)", "must use https"],
    ["data:text/html,x", "must use https"],
    ["com.example.app:/cb", "must use https"],
    ["ftp://localhost/cb", "must use https"],
    ["https:example.com/cb", "must use https"],
    ["https://user@example.com/cb", "credentials"],
    ["https://:pass@example.com/cb", "credentials"],
    ["https://example.com/cb#part", "fragment"],
    ["https://example.com/cb#", "fragment"],
    ["http://localhost/cb#part", "fragment"],
    ["http://localhost:99999/cb", "absolute URL"],
    ["/cb", "absolute URL"],
    ["", "absolute URL"],
    ["java\nscript:alert(1)", "percent-encoded"],
    ["https://example.com\\@evil.example/", "percent-encoded"],
    [`https://example.com/${"x".repeat(2_048)}`, "longer than 2048"],
  ])("may not be %s", (uri, problem) => {
    expect(redirectUriProblem(uri)).toContain(problem);
  });
});

describe("a request's redirect URI is the registered one", () => {
  test.each([
    ["https://app.example.com/cb", "https://app.example.com/cb"],
    ["http://127.0.0.1/cb", "http://127.0.0.1:49152/cb"],
    ["http://localhost:3000/cb?a=1", "http://localhost:4000/cb?a=1"],
    ["http://[::1]:1", "http://[::1]:2"],
  ])("%s is %s", (registered, given) => {
    expect(matchesRedirectUri(registered, given)).toBe(true);
  });

  test.each([
    ["https://app.example.com/cb", "https://app.example.com:8443/cb"],
    ["https://app.example.com/cb", "https://app.example.com/cb/"],
    ["https://app.example.com/cb", "https://app.example.com/CB"],
    ["https://app.example.com/cb", "https://app.example.com/x/../cb"],
    ["https://app.example.com/cb", "http://127.0.0.1/cb"],
    ["http://127.0.0.1/cb", "http://localhost/cb"],
    ["http://127.0.0.1/cb", "http://127.0.0.1/cb?x=1"],
    ["http://127.0.0.1/cb", "http://127.0.0.1:1@evil.example/cb"],
    ["http://127.0.0.1/cb", "http://127.0.0.1:99999/cb"],
    ["http://127.0.0.1/cb", "https://127.0.0.1/cb"],
    ["http://127.0.0.1/cb", "http://127.0.0.1:1/cb#x"],
  ])("%s is not %s", (registered, given) => {
    expect(matchesRedirectUri(registered, given)).toBe(false);
  });

  test("and leads to the host that was registered, whatever the request says", () => {
    const text = fc.array(fc.constantFrom(..."/@:?#.\\0", "http://", "https://", "127.0.0.1", "evil.example", "/cb"));
    fc.assert(
      fc.property(text, (parts) => {
        const given = parts.join("");
        if (!matchesRedirectUri("http://127.0.0.1/cb", given)) return;
        expect(new URL(given).hostname).toBe("127.0.0.1");
        expect(new URL(given).pathname).toBe("/cb");
      }),
      { numRuns: 500 },
    );
  });
});
