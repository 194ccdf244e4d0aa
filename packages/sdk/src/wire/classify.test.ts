import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classify } from "./classify.js";
import { parseJson, serializeJson } from "./json-text.js";

const base = { jsonrpc: "2.0" };
const error = { code: -32601, message: "Method not found" };

describe("valid messages", () => {
  it("tells requests, notifications, results, errors and batches apart", () => {
    const request = { ...base, id: 1, method: "a", params: { b: 1 } };
    const notification = { ...base, method: "notifications/a" };
    expect(classify(request)).toEqual({ kind: "request", message: request });
    expect(classify(notification)).toEqual({ kind: "notification", message: notification });
    expect(classify({ ...base, id: "r", result: { c: 1 } })).toEqual({ kind: "result", id: "r", result: { c: 1 } });
    expect(classify({ ...base, id: 0, error })).toEqual({ kind: "error", id: 0, error });
    expect(classify([1, "two"])).toEqual({ kind: "batch", items: [classify(1), classify("two")] });
  });

  it.each([0, -1, "", "7", 7, Number.MAX_SAFE_INTEGER])("keeps the id %j verbatim", (id) => {
    expect(classify({ ...base, id, method: "a" })).toMatchObject({ kind: "request", message: { id } });
    expect(classify({ ...base, id, result: {} })).toMatchObject({ kind: "result", id });
    expect(classify({ ...base, id, error })).toMatchObject({ kind: "error", id });
  });

  it.each([{}, { id: null }])("takes an error answer that names no request: %j", (id) => {
    expect(classify({ ...base, ...id, error })).toEqual({ kind: "error", id: undefined, error });
  });

  it("leaves the check of a result's shape to whoever knows the request", () => {
    for (const result of [null, [], 1, "", false]) {
      expect(classify({ ...base, id: 1, result })).toEqual({ kind: "result", id: 1, result });
    }
  });

  it("lets members pass that it does not know", () => {
    expect(classify({ ...base, id: 1, method: "a", extra: true })).toMatchObject({ message: { extra: true } });
  });
});

describe("invalid messages", () => {
  const readable: [unknown, string, RegExp][] = [
    [{ id: 7, method: "a" }, "request", /jsonrpc/],
    [{ jsonrpc: 2, id: 7, method: "a" }, "request", /jsonrpc/],
    [{ ...base, id: 7, method: 1 }, "request", /method/],
    [{ ...base, id: 7, method: null, result: {} }, "request", /method/],
    [{ ...base, id: 7, method: "a", params: [] }, "request", /params/],
    [{ ...base, id: 7, method: "a", params: null }, "request", /params/],
    [{ ...base, id: 7, method: "a", result: {} }, "request", /neither result nor error/],
    [{ ...base, id: 7, method: "a", error }, "request", /neither result nor error/],
    [{ ...base, id: 7 }, "unclear", /a method, a result or an error/],
    [{ ...base, id: 7, result: {}, error }, "answer", /both/],
    [{ id: 7, result: {} }, "answer", /jsonrpc/],
    [{ id: 7, error }, "answer", /jsonrpc/],
    [{ ...base, id: 7, error: "no" }, "answer", /code/],
    [{ ...base, id: 7, error: null }, "answer", /code/],
    [{ ...base, id: 7, error: { code: 1.5, message: "a" } }, "answer", /code/],
    [{ ...base, id: 7, error: { code: "1", message: "a" } }, "answer", /code/],
    [{ ...base, id: 7, error: { code: 1 } }, "answer", /message/],
  ];
  it.each(readable)("carries the id it could read: %j", (value, meantAs, reason) => {
    expect(classify(value)).toEqual({ kind: "invalid", id: 7, meantAs, reason: expect.stringMatching(reason) });
  });

  const unreadable: [unknown, string][] = [
    ...[null, undefined, true, 1, "text"].map((value): [unknown, string] => [value, "unclear"]),
    [[], "unclear"],
    [{}, "unclear"],
    [{ ...base, method: "a", params: 1 }, "notification"],
    [{ method: "a" }, "notification"],
    [{ ...base, method: 1 }, "request"],
    [{ ...base, result: {} }, "answer"],
    [{ ...base, id: null, result: {} }, "answer"],
  ];
  it.each(unreadable)("carries no id where there is none: %j", (value, meantAs) => {
    expect(classify(value)).toMatchObject({ kind: "invalid", id: undefined, meantAs });
  });

  it.each([null, 1.5, 2 ** 53, true, {}, []])("refuses the id %j", (id) => {
    const about = { kind: "invalid", id: undefined };
    expect(classify({ ...base, id, method: "a" })).toMatchObject({ ...about, meantAs: "request" });
    expect(classify({ ...base, id, result: {} })).toMatchObject({ ...about, meantAs: "answer" });
    if (id !== null) expect(classify({ ...base, id, error })).toMatchObject({ ...about, meantAs: "answer" });
  });
});

describe("whatever arrives", () => {
  const kinds = ["request", "notification", "result", "error", "batch", "invalid"];
  const member = fc.oneof(fc.anything(), fc.constantFrom("2.0", 1, "1", null, {}, { code: 1, message: "" }, undefined));
  const nearly = fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", "1.0"),
      id: member,
      method: member,
      params: member,
      result: member,
      error: member,
    },
    { requiredKeys: [] },
  );

  it("never throws, and has an answer for everything", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), nearly), (value) => {
        expect(kinds).toContain(classify(value).kind);
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps every acceptable id through text and back", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.maxSafeInteger()), (id) => {
        const parsed = parseJson(serializeJson({ ...base, id, method: "a" }));
        expect(parsed.ok && classify(parsed.value)).toMatchObject({ kind: "request", message: { id } });
      }),
    );
  });
});
