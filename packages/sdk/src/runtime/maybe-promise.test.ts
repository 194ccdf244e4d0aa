import { expect, it } from "vitest";
import { isPromiseLike, mapMaybe } from "./maybe-promise.js";

it("maps a value at once, and a promise when it is fulfilled", async () => {
  const double = (value: number) => value * 2;
  expect(mapMaybe(2, double)).toBe(4);
  const later = mapMaybe(Promise.resolve(2), double);
  expect(isPromiseLike(later)).toBe(true);
  expect(await later).toBe(4);
});

it("takes any object with a method `then` for a promise", () => {
  expect(isPromiseLike(Object.create(Promise.prototype))).toBe(true);
  expect([null, 1, "then", {}].map(isPromiseLike)).toEqual([false, false, false, false]);
});
