import { expect, it } from "vitest";
import { type AllowList, HostChecks } from "./host-checks.js";

function allows(headers: Record<string, string>, isLocal: boolean, hosts?: AllowList, origins?: AllowList): boolean {
  const request = { isLocal, header: (name: string) => headers[name] };
  try {
    const checks = new HostChecks(hosts, origins, undefined);
    checks.checkHost(request);
    checks.checkOrigin(request);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 403, error: { code: -32600 } });
    return false;
  }
}

it.each([
  ["localhost", true],
  ["LOCALHOST:3000", true],
  ["127.0.0.1:80", true],
  ["[::1]:3000", true],
  ["[::1]", true],
  ["evil.example.com", false],
  ["localhost.evil.com", false],
  ["localhost@evil.com", false],
  ["127.0.0.1.nip.io:3000", false],
  ["", false],
])("on loopback a request for host %j is served: %s", (host, isServed) => {
  expect(allows({ host }, true)).toBe(isServed);
});

it.each([true, false])("a request with two hosts is refused, on loopback: %s", (isLocal) => {
  const request = { isLocal, header: () => "localhost:3000, evil.com" };
  expect(() => new HostChecks("any").checkHost(request)).toThrow("more than one Host");
  expect(() => new HostChecks(undefined).checkHost(request)).toThrow("more than one Host");
});

it("on loopback a request must name a host", () => {
  expect(allows({}, true)).toBe(false);
});

it.each([
  ["http://localhost:6274", true],
  ["https://127.0.0.1", true],
  ["http://[::1]:1", true],
  ["http://evil.example.com", false],
  ["http://localhost.evil.com", false],
  ["file://localhost", false],
  ["null", false],
])("on loopback a page of origin %j is served: %s", (origin, isServed) => {
  expect(allows({ host: "localhost", origin }, true)).toBe(isServed);
});

it("elsewhere any host is served unless there is a list", () => {
  expect(allows({ host: "a.example" }, false)).toBe(true);
  expect(allows({ host: "A.example:8443" }, false, ["a.example"])).toBe(true);
  expect(allows({ host: "a.example:8443" }, false, ["a.example:8443"])).toBe(true);
  expect(allows({ host: "a.example:1" }, false, ["a.example:8443"])).toBe(false);
  expect(allows({ host: "localhost" }, false, ["a.example"])).toBe(false);
  expect(allows({ host: "b.example" }, false, ["a.example"])).toBe(false);
});

it("elsewhere pages are refused unless their origin is listed", () => {
  expect(allows({ host: "a.example", origin: "https://a.example" }, false)).toBe(false);
  expect(allows({ host: "a.example", origin: "http://localhost" }, false)).toBe(false);
  expect(allows({ host: "a.example", origin: "https://B.example" }, false, undefined, ["https://b.example"])).toBe(
    true,
  );
  expect(allows({ host: "a.example", origin: "null" }, false, undefined, "any")).toBe(true);
});

it("on loopback the lists add to the loopback names, and any is any", () => {
  expect(allows({ host: "a.example", origin: "https://b.example" }, true, ["a.example"], ["https://b.example"])).toBe(
    true,
  );
  expect(allows({ host: "localhost", origin: "http://localhost" }, true, ["a.example"], [])).toBe(true);
  expect(allows({ host: "whatever.example" }, true, "any")).toBe(true);
  expect(allows({}, true, "any")).toBe(true);
});
