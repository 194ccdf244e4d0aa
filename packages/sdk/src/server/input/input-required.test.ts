import { expect, it } from "vitest";
import { inputRequired, isInputRequired } from "./input-required.js";

it("tells the author's input-required results from everything else", () => {
  const needed = inputRequired({ inputRequests: { where: { method: "roots/list" } }, requestState: "step 2" });
  expect(needed).toEqual({
    resultType: "input_required",
    inputRequests: { where: { method: "roots/list" } },
    requestState: "step 2",
  });
  expect(isInputRequired(needed)).toBe(true);
  expect(isInputRequired(inputRequired({}))).toBe(true);
  for (const other of [undefined, null, "input_required", [], {}, { resultType: "complete" }, { content: [] }]) {
    expect(isInputRequired(other)).toBe(false);
  }
});

it("refuses members that a client would not read", () => {
  const refused = (message: string) => expect.objectContaining({ code: "invalid-argument", message });
  const misspelt = { requests: { where: { method: "roots/list" } } };
  expect(() => inputRequired(misspelt as never)).toThrow(
    refused('inputRequired: unknown member "requests"; write inputRequired({ inputRequests, requestState })'),
  );
  const withMeta = { requestState: "1", _meta: { "example.com/a": 1 } };
  expect(inputRequired(withMeta)).toEqual({ resultType: "input_required", ...withMeta });
});
