import { describe, expect, test } from "vitest";
import { NoProxy } from "./no-proxy.js";

const isDirect = (list: string, url: string) => new NoProxy(list).has(new URL(url));

describe("the hosts that are called without a proxy", () => {
  test.each([
    "http://localhost",
    "http://LOCALHOST:8080",
    "http://localhost.",
    "http://mcp.localhost",
    "http://127.0.0.1",
    "http://127.0.0.2:3000",
    "http://127.1",
    "http://[::1]:3000",
    "http://[::ffff:127.0.0.1]",
  ])("are those on this machine: %s", (url) => {
    expect(isDirect("", url)).toBe(true);
  });

  test.each(["http://mcp.example", "http://localhost.example", "http://128.0.0.1", "http://[::2]"])(
    "are not others: %s",
    (url) => {
      expect(isDirect("", url)).toBe(false);
    },
  );

  test.each([
    ["mcp.example", "http://mcp.example", true],
    ["mcp.example", "http://a.mcp.example", true],
    ["mcp.example", "http://notmcp.example", false],
    [".mcp.example", "http://mcp.example", true],
    ["*.mcp.example", "http://a.mcp.example", true],
    ["MCP.example.", "http://mcp.example", true],
    ["mcp.example", "http://mcp.example.", true],
    ["a.example, mcp.example", "http://mcp.example", true],
    ["a.example mcp.example", "http://mcp.example", true],
    ["a.example,*", "http://mcp.example", true],
    ["mcp.example:8080", "http://mcp.example:8080", true],
    ["mcp.example:8080", "http://mcp.example", false],
    ["mcp.example:80", "http://mcp.example", true],
    ["mcp.example:443", "https://mcp.example", true],
    ["mcp.example:443", "http://mcp.example", false],
    ["10.0.0.1", "http://10.0.0.1", true],
    ["10.0.0.1:80", "http://10.0.0.1:8080", false],
    ["10.0.0.0/8", "http://10.1.2.3", true],
    ["10.0.0.0/8", "http://11.0.0.1", false],
    ["10.0.0.0/8:80", "http://10.1.2.3", true],
    ["10.0.0.0/99", "http://10.0.0.0", false],
    ["10.0.0.0/x", "http://10.0.0.0", false],
    ["10.0.0.0/", "http://11.0.0.0", false],
    ["10.0.0.0/8", "http://10.example", false],
    ["2001:db8::1", "http://[2001:db8::1]", true],
    ["[2001:db8::1]", "http://[2001:DB8:0::1]", true],
    ["[2001:db8::1]:3000", "http://[2001:db8::1]:3000", true],
    ["[2001:db8::1]:3000", "http://[2001:db8::1]:3001", false],
    ["2001:db8::/32", "http://[2001:db8:1::7]", true],
    ["2001:db8::/32", "http://[2001:db9::7]", false],
    ["2001:db8::1", "http://10.0.0.1", false],
    [",, .", "http://mcp.example", false],
  ])("with NO_PROXY=%s and %s: %s", (list, url, expected) => {
    expect(isDirect(list, url)).toBe(expected);
  });
});
