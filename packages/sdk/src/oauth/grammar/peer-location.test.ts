import { expect, test } from "vitest";
import { hostKind, isLocalPeer, isReachable } from "./peer-location.js";

test.each([
  "http://localhost:3000/mcp",
  "http://127.0.0.1/mcp",
  "http://[::1]/mcp",
  "https://192.168.1.10/mcp",
  "https://[fd00::1]/mcp",
  "https://nas.local/mcp",
  "https://mcp.corp.internal./mcp",
  "https://printer.home.arpa/",
  "https://a.localhost/",
])("%s is a local peer", (url) => {
  expect(isLocalPeer(new URL(url))).toBe(true);
});

test.each([
  "https://mcp.example.com/",
  "https://1.1.1.1/",
  "https://169.254.169.254/",
  "https://0.0.0.0/",
  "https://internal.example/",
])("%s is no local peer", (url) => {
  expect(isLocalPeer(new URL(url))).toBe(false);
});

test("a name tells only what it says", () => {
  expect(hostKind("example.com")).toBe("public");
  expect(hostKind("localhost")).toBe("loopback");
  expect(hostKind("nas.local")).toBe("private");
});

test("forbidden addresses are never reachable, private ones where they are allowed", () => {
  expect([isReachable("public", false), isReachable("private", false), isReachable("loopback", false)]).toEqual([
    true,
    false,
    false,
  ]);
  expect([isReachable("private", true), isReachable("loopback", true), isReachable("forbidden", true)]).toEqual([
    true,
    true,
    false,
  ]);
});
