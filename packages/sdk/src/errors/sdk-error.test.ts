import { expect, it } from "vitest";
import { ProtocolError } from "./protocol-error.js";
import { SdkError } from "./sdk-error.js";

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
