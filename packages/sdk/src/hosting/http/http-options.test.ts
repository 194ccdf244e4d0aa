import { expect, it } from "vitest";
import { checkHttpOptions, httpLimits } from "./http-options.js";

it("has the documented limits by default, and takes others", () => {
  expect(httpLimits({})).toEqual({
    maxBodyBytes: 4 * 1024 * 1024,
    bodyTimeoutMs: 30_000,
    maxJsonDepth: 512,
    maxJsonNodes: 150_000,
    maxQueuedBytes: 1024 * 1024,
    maxTotalQueuedBytes: 64 * 1024 * 1024,
    stallTimeoutMs: 30_000,
    keepAliveMs: 15_000,
    shutdownGraceMs: 10_000,
  });
  expect(httpLimits({ maxBodyBytes: 7, keepAliveMs: Number.POSITIVE_INFINITY })).toMatchObject({
    maxBodyBytes: 7,
    keepAliveMs: Number.POSITIVE_INFINITY,
  });
});

it.each([-1, Number.NaN])("refuses %s", (maxBodyBytes) => {
  expect(() => httpLimits({ maxBodyBytes })).toThrow(/maxBodyBytes: expected a number from 0/);
});

it.each([
  [
    { authorization: { resource: "https://mcp.example.com/mcp", issuer: "https://login.example.com" } },
    "protectedResource(",
  ],
  [{ routes: [{ handle: () => undefined }] }, "write `routes: [login.handle]`"],
  [{ routes: () => undefined }, "write `routes: [login.handle]`"],
])("says what to write instead of %j", (options, advice) => {
  expect(() => checkHttpOptions(options as never)).toThrow(advice);
});

it.each([null, false, 0, ""])("refuses an authorization of %j, which would leave the server open", (authorization) => {
  expect(() => checkHttpOptions({ authorization } as never)).toThrow("write `authorization: protectedResource(");
});
