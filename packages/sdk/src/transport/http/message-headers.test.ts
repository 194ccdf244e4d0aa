import { expect, it } from "vitest";
import { paramHeaders } from "./message-headers.js";

const headers = ["a", "b", "c", "d", "e"].map((name) => ({ header: `mcp-param-${name}`, path: [name] }));

it("writes strings, integers and booleans, encoded where a header needs it", () => {
  expect(paramHeaders(headers, { a: "eu", b: -7, c: false, d: " padded ", e: "" })).toEqual({
    "mcp-param-a": "eu",
    "mcp-param-b": "-7",
    "mcp-param-c": "false",
    "mcp-param-d": "=?base64?IHBhZGRlZCA=?=",
    "mcp-param-e": "",
  });
});

it("leaves out what is absent, null, or not what an annotation allows", () => {
  expect(paramHeaders(headers, { a: null, b: 1.5, c: {}, d: [1], e: 2 ** 60 })).toEqual({});
  expect(paramHeaders(headers, undefined)).toEqual({});
});

it("reads nested arguments", () => {
  const nested = [{ header: "mcp-param-zone", path: ["where", "zone"] }];
  expect(paramHeaders(nested, { where: { zone: "1" } })).toEqual({ "mcp-param-zone": "1" });
});
