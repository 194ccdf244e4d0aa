import { expect, test } from "vitest";
import { isLoopbackHost, isSecureUrl } from "./loopback.js";

test.each(["localhost", "LOCALHOST", "127.0.0.1", "127.8.9.10", "[::1]", "::1"])("%s is a loopback host", (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});

test.each(["localhost.example.com", "128.0.0.1", "127.0.0.1.example.com", "[::2]", "0.0.0.0", "", "a.localhost"])(
  "%s is no loopback host",
  (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  },
);

test.each([
  ["https://example.com/", true],
  ["http://localhost:3000/", true],
  // The URL parser writes every form of an address in one way.
  ["http://0x7f.1/", true],
  ["http://example.com/", false],
  ["ftp://localhost/", false],
  ["javascript:alert(1)", false],
])("%s is secure: %s", (url, isSecure) => {
  expect(isSecureUrl(new URL(url))).toBe(isSecure);
});
