import { expect, it } from "vitest";
import { accepts, acceptsAnswers, isJsonType } from "./media-types.js";

it.each([
  ["application/json", true],
  ["Application/JSON", true],
  ["application/json; charset=utf-8", true],
  ['application/json;charset="UTF-8"; profile=x', true],
  ["application/json; charset=latin1", false],
  ["application/json-seq", false],
  ["text/plain; note=application/json", false],
  ["application/x-www-form-urlencoded", false],
  [undefined, false],
])("Content-Type %s is JSON: %s", (type, isJson) => {
  expect(isJsonType(type)).toBe(isJson);
});

it.each([
  ["application/json, text/event-stream", true],
  ["text/event-stream,application/json;q=0.5", true],
  ["APPLICATION/JSON , TEXT/EVENT-STREAM", true],
  ["*/*", true],
  ["application/*, text/*", true],
  [undefined, true],
  ["application/json", false],
  ["text/event-stream", false],
  ["text/html, application/json-seq, text/event-stream", false],
  ["*/*, text/event-stream;q=0", false],
  ["*/*;q=0.0", false],
  ["", false],
])("Accept %s takes both forms of an answer: %s", (accept, isFine) => {
  expect(acceptsAnswers(accept)).toBe(isFine);
});

it("lets the most specific range decide", () => {
  expect(accepts("*/*;q=0, text/*", "text/event-stream")).toBe(true);
  expect(accepts("text/*;q=0, text/event-stream", "text/event-stream")).toBe(true);
});
