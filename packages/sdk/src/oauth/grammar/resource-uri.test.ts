import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalResource, coversResource, sameResource } from "./resource-uri.js";

describe("the canonical form of a resource", () => {
  test.each([
    ["HTTPS://MCP.Example.com/Mcp", "https://mcp.example.com/Mcp"],
    ["https://mcp.example.com/", "https://mcp.example.com"],
    ["https://mcp.example.com", "https://mcp.example.com"],
    ["https://mcp.example.com:443/mcp", "https://mcp.example.com/mcp"],
    ["https://mcp.example.com:8443", "https://mcp.example.com:8443"],
    ["https://mcp.example.com/mcp/", "https://mcp.example.com/mcp/"],
    ["https://mcp.example.com/mcp?a=1#part", "https://mcp.example.com/mcp?a=1"],
    ["https://mcp.example.com/?", "https://mcp.example.com"],
    ["https://mcp.example.com/?a", "https://mcp.example.com/?a"],
    ["https://user:secret@mcp.example.com/mcp", "https://mcp.example.com/mcp"],
  ])("of %s is %s", (given, canonical) => {
    expect(canonicalResource(given)).toBe(canonical);
    expect(canonicalResource(new URL(given))).toBe(canonical);
  });

  test("does not exist for a text that is no URL", () => {
    expect(() => canonicalResource("mcp.example.com")).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("absolute URL") }),
    );
  });
});

describe("two identifiers of one resource", () => {
  test.each([
    ["https://h.example/mcp", "https://H.example/mcp"],
    ["https://h.example/mcp", "https://h.example/mcp/"],
    ["https://h.example", "https://h.example/"],
    ["https://h.example:443", "https://h.example"],
    ["urn:example:resource", "urn:example:resource"],
  ])("are %s and %s", (one, other) => {
    expect(sameResource(one, other)).toBe(true);
  });

  test.each([
    ["https://h.example/mcp", "https://h.example/mcp/child"],
    ["https://h.example/mcp", "https://h.example/mcp2"],
    ["https://h.example/mcp", "https://h.example"],
    ["https://h.example/mcp", "http://h.example/mcp"],
    ["https://h.example/mcp", "https://h.example:8443/mcp"],
    ["https://h.example/mcp", "https://h.example/mcp?a=1"],
    ["https://h.example:port/mcp", "https://h.example:port/mcp"],
    ["https://h.example/mcp#a", "https://h.example/mcp#a"],
    ["", ""],
  ])("are not %s and %s", (one, other) => {
    expect(sameResource(one, other)).toBe(false);
  });

  test("are each other's, and never an error", () => {
    const parts = [
      "https://",
      "HTTP://",
      "h.example",
      "H.example:443",
      "/",
      "/mcp",
      "/mcp/",
      "?a=1",
      "?",
      "#x",
      "u@",
      " ",
    ];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 5 }).map((chosen) => chosen.join(""));
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(sameResource(one, other)).toBe(sameResource(other, one));
        if (URL.canParse(one) && !one.includes("#")) expect(sameResource(one, canonicalResource(one))).toBe(true);
      }),
    );
  });
});

describe("a resource covers", () => {
  test.each([
    ["https://h.example", "https://h.example/mcp"],
    ["https://h.example/", "https://h.example/"],
    ["https://h.example/mcp", "https://h.example/mcp"],
    ["https://h.example/mcp/", "https://h.example/mcp"],
    ["https://h.example/mcp", "https://h.example/mcp/a/b?c=d"],
    ["https://h.example/mcp?a=1", "https://h.example/mcp?a=1"],
  ])("%s the URL %s", (advertised, url) => {
    expect(coversResource(advertised, new URL(url))).toBe(true);
  });

  test.each([
    ["https://h.example/mcp", "https://h.example/mcp2"],
    ["https://h.example/mcp/a", "https://h.example/mcp"],
    ["https://h.example/mcp", "https://h.example/mcp/../admin"],
    ["https://h.example/mcp", "https://other.example/mcp"],
    ["https://h.example/mcp", "http://h.example/mcp"],
    ["https://h.example/mcp?a=1", "https://h.example/mcp?a=2"],
    ["https://h.example/#x", "https://h.example/"],
    ["data:x", "data:x"],
    ["no URL", "https://h.example/mcp"],
  ])("with %s not the URL %s", (advertised, url) => {
    expect(coversResource(advertised, new URL(url))).toBe(false);
  });
});
