import { expect, it, vi } from "vitest";
import { createErrorCallback } from "./error-callback.js";

it("wraps a callback once, so that those who pass it on share it", () => {
  const onError = vi.fn();
  const callback = createErrorCallback(onError);
  expect(createErrorCallback(callback)).toBe(callback);
  const error = new Error("lost");
  callback(error);
  expect(onError).toHaveBeenCalledExactlyOnceWith(error);
});
