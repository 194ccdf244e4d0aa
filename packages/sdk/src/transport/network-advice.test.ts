import { expect, it } from "vitest";
import { isRefused, networkAdvice } from "./network-advice.js";

const withCode = (code: string) => Object.assign(new Error("it failed"), { code });

it.each([
  ["ECONNREFUSED", "nothing listens there"],
  ["ENOTFOUND", "check it for typos"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "NODE_EXTRA_CA_CERTS"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "use an http: URL"],
  ["HPE_INVALID_CONSTANT", "use an https: URL"],
  ["EADDRINUSE", "port 0"],
])("has advice for %s, also where another error wraps it", (code, advice) => {
  expect(networkAdvice(withCode(code))).toContain(advice);
  expect(networkAdvice(new TypeError("fetch failed", { cause: withCode(code) }))).toContain(advice);
});

it("has none for what it does not know", () => {
  const loop = new Error("round and round");
  loop.cause = loop;
  expect([withCode("EFUN"), new Error("no code"), "text", loop].map(networkAdvice)).toEqual(["", "", "", ""]);
});

it("tells a refused connection from every other failure", () => {
  expect([withCode("ECONNREFUSED"), withCode("ECONNRESET"), new Error("x")].map(isRefused)).toEqual([
    true,
    false,
    false,
  ]);
});
