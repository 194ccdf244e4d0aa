import { describe, expect, it } from "vitest";
import { REVISIONS } from "../protocol/revisions.js";
import {
  invalidParams,
  invalidRequest,
  isResourceNotFound,
  methodNotFound,
  missingClientCapability,
  ProtocolError,
  unsupportedRevision,
} from "./protocol-error.js";

describe("ProtocolError", () => {
  it("is an error with a numeric code, data and cause", () => {
    const cause = new Error("inner");
    const error = new ProtocolError(-32000, "Something failed", { data: { a: 1 }, cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: "ProtocolError", code: -32000, message: "Something failed", data: { a: 1 } });
    expect(error.cause).toBe(cause);
  });

  it("has no cause and no data unless given", () => {
    const error = new ProtocolError(-32000, "Something failed");
    expect(error.data).toBeUndefined();
    expect(error).not.toHaveProperty("cause");
  });

  it("keeps data that is falsy", () => {
    expect(new ProtocolError(1, "", { data: 0 }).data).toBe(0);
    expect(new ProtocolError(1, "", { data: null }).data).toBeNull();
  });
});

describe("the protocol's own errors", () => {
  it("have the codes of JSON-RPC", () => {
    expect(invalidRequest("No id")).toMatchObject({ code: -32600, message: "No id" });
    expect(methodNotFound("tools/fly")).toMatchObject({ code: -32601, message: "Method not found: tools/fly" });
    expect(invalidParams("params.name: expected string")).toMatchObject({ code: -32602, data: undefined });
    expect(invalidParams("params.name: expected string", { at: "name" }).data).toEqual({ at: "name" });
  });

  it("name the revision that was asked for and those that are spoken", () => {
    const error = unsupportedRevision("1999-01-01", REVISIONS);
    expect(error).toMatchObject({ code: -32022, data: { requested: "1999-01-01", supported: [...REVISIONS] } });
    expect(error.message).toContain("1999-01-01");
    expect(error.message).toContain("2026-07-28");
  });

  it("repeat 64 characters of a revision that a peer named", () => {
    expect(unsupportedRevision("1".repeat(65), REVISIONS).data).toMatchObject({ requested: "1".repeat(64) });
    expect(unsupportedRevision("1".repeat(64), REVISIONS).data).toMatchObject({ requested: "1".repeat(64) });
  });

  it("name the capabilities a client would have to declare", () => {
    const error = missingClientCapability({ elicitation: { form: {} }, roots: {} });
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} }, roots: {} } },
    });
    expect(error.message).toContain("elicitation, roots");
  });
});

it.each<[boolean, unknown]>([
  [true, new ProtocolError(-32002, "Resource not found")],
  [true, new ProtocolError(-32602, "Resource not found", { data: { uri: "a:b" } })],
  [false, new ProtocolError(-32602, "Invalid params")],
  [false, new ProtocolError(-32602, "Invalid params", { data: { uri: 7 } })],
  [false, new ProtocolError(-32603, "Internal error", { data: { uri: "a:b" } })],
  [false, new Error("Resource not found")],
])("%s is whether a resource was not found by %s", (expected, error) => {
  expect(isResourceNotFound(error)).toBe(expected);
});
