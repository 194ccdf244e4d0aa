import { describe, expect, it } from "vitest";
import { ProtocolError } from "./protocol-error.js";
import { SdkError, withErrorPrefix } from "./sdk-error.js";

it("is an error with a string code, and no protocol error", () => {
  const cause = new Error("inner");
  const error = new SdkError("capability-not-supported", "The server has no tools", { cause, wireCode: -32601 });
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(ProtocolError);
  expect(error).toMatchObject({ name: "SdkError", code: "capability-not-supported", wireCode: -32601 });
  expect(error.cause).toBe(cause);
});

it("has no cause and no wire code unless given", () => {
  const error = new SdkError("request-timeout", "Too slow");
  expect(error.wireCode).toBeUndefined();
  expect(error).not.toHaveProperty("cause");
});

describe("withErrorPrefix", () => {
  it("returns the value of a run that succeeds", () => {
    expect(withErrorPrefix("tool", () => 7)).toBe(7);
  });

  it("puts the prefix before an SdkError, whose code and cause it keeps", () => {
    const cause = new SdkError("unusable-schema", "too deep");
    const run = () => {
      throw cause;
    };
    expect(() => withErrorPrefix('tool "add": input', run)).toThrow(
      expect.objectContaining({ code: "unusable-schema", message: 'tool "add": input: too deep', cause }),
    );
  });

  it("passes on any other error", () => {
    const cause = new TypeError("no");
    const run = () => {
      throw cause;
    };
    expect(() => withErrorPrefix("tool", run)).toThrow(cause);
  });
});
