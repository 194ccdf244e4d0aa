import { expect, it, onTestFinished } from "vitest";
import { captureCallerStack } from "./client.js";

function method(): (error: unknown) => unknown {
  return captureCallerStack(method);
}

it("gives an error the stack of the caller, and leaves what is no error alone", () => {
  const error = new TypeError("no");
  const moved = method()(error);
  expect(moved).toBe(error);
  expect(error.stack?.split("\n").slice(0, 2)).toEqual(["TypeError: no", expect.stringContaining("client.test.ts")]);
  expect(method()("text")).toBe("text");
});

it("leaves the stack as it is where the runtime cannot capture one", () => {
  const capturing = Error as { captureStackTrace?: unknown };
  const { captureStackTrace } = capturing;
  onTestFinished(() => {
    capturing.captureStackTrace = captureStackTrace;
  });
  capturing.captureStackTrace = undefined;
  const error = new Error("no");
  const { stack } = error;
  method()(error);
  expect(error.stack).toBe(stack);
});
