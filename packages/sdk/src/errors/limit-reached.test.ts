import { expect, it } from "vitest";
import { isTemporary, limitHeld, limitReached, reachedLimitIn } from "./limit-reached.js";

it("says which level is full and when to try again", () => {
  const error = limitReached("principal", "Too many requests");
  expect([error.code, error.message, error.data]).toEqual([
    429,
    "Too many requests; try again later",
    { limit: "principal", retryAfterMs: 1_000 },
  ]);
});

it("promises nothing where waiting does not help", () => {
  expect(limitHeld("session", "Too much").data).toEqual({ limit: "session" });
});

it.each([
  [{ code: 429, message: "", data: { limit: "server" } }, { limit: "server" }],
  [
    { code: 429, message: "", data: { limit: "server", retryAfterMs: 10, other: 1 } },
    { limit: "server", retryAfterMs: 10 },
  ],
  [{ code: 429, message: "", data: { limit: "server", retryAfterMs: "soon" } }, { limit: "server" }],
  [{ code: 429, message: "", data: { limit: "server", retryAfterMs: -1 } }, { limit: "server" }],
  [{ code: 429, message: "", data: { limit: "everything" } }, undefined],
  [{ code: 429, message: "", data: "server" }, undefined],
  [{ code: 429, message: "" }, undefined],
  [{ code: -32603, message: "", data: { limit: "server" } }, undefined],
])("of %j reads %j", (error, limit) => {
  expect(reachedLimitIn(error)).toEqual(limit);
});

it("is temporary if it says when to try again", () => {
  const errors = [limitReached("server", "Full"), limitHeld("server", "Full"), new Error("Full")];
  expect(errors.map(isTemporary)).toEqual([true, false, false]);
});
