import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineExtension } from "./extension.js";
import { defineMethod, defineNotification, nameOf } from "./method-definition.js";

const forecast = defineMethod("acme/forecast", {
  params: z.object({ city: z.string() }),
  result: z.object({ celsius: z.number() }),
});
const alarm = defineNotification("notifications/acme/alarm", { params: z.object({ level: z.number() }) });

describe("a definition", () => {
  test("is a plain, frozen value", () => {
    expect(forecast).toEqual({
      kind: "request",
      method: "acme/forecast",
      params: expect.anything(),
      result: expect.anything(),
      isCacheable: false,
    });
    expect(alarm).toMatchObject({ kind: "notification", method: "notifications/acme/alarm" });
    expect(Object.isFrozen(forecast) && Object.isFrozen(alarm)).toBe(true);
    expect([nameOf(forecast), nameOf(alarm), nameOf("tools/list")]).toEqual([
      "acme/forecast",
      "notifications/acme/alarm",
      "tools/list",
    ]);
  });

  const schemas = { params: z.object({}), result: z.object({}) };
  test.each(["tools/call", "initialize", "notifications/progress", "tasks/list", "", "*", "rpc.discover"])(
    "cannot have the name %j",
    (name) => {
      const refused = expect.objectContaining({
        code: "invalid-argument",
        message: expect.stringContaining(`"${name}"`),
      });
      expect(() => defineMethod(name, schemas)).toThrow(refused);
      expect(() => defineNotification(name, schemas)).toThrow(refused);
    },
  );

  test("of a method keeps out of the names of notifications", () => {
    expect(() => defineMethod("notifications/acme/alarm", schemas)).toThrow(/are for notifications/);
  });

  test("may have a name that left the specification for its tasks extension", () => {
    expect(defineMethod("tasks/get", schemas).method).toBe("tasks/get");
  });

  test("fails where it is written if a schema cannot be used", () => {
    const unusable = { $ref: "https://example.com/schema" };
    for (const given of [
      () => defineMethod("acme/x", { ...schemas, params: unusable }),
      () => defineMethod("acme/x", { ...schemas, result: unusable }),
      () => defineNotification("acme/x", { params: unusable }),
    ]) {
      expect(given).toThrow(expect.objectContaining({ code: "unusable-schema" }));
    }
  });
});

const schemas = { params: z.object({}), result: z.object({}) };

test("has the traits that it was given", () => {
  const changedBy = defineNotification("notifications/acme/changed", { params: schemas.params });
  const plain = defineMethod("acme/plain", schemas);
  expect(plain).toMatchObject({ isCacheable: false, changedBy: undefined, mirrors: undefined, page: undefined });
  expect(defineMethod("acme/kept", { ...schemas, cacheable: true })).toMatchObject({
    isCacheable: true,
    changedBy: undefined,
  });
  const result = { type: "object", properties: { items: { type: "array" } } } as const;
  const all = defineMethod("acme/all", { ...schemas, result, cacheable: { changedBy }, mirrors: "id", page: "items" });
  expect(all).toMatchObject({ isCacheable: true, changedBy, mirrors: "id", page: "items" });
  expect(defineExtension("com.example/all", { methods: [all] }).notifications).toEqual([changedBy]);
});

test.each([{ mirrors: "" }, { mirrors: "_meta" }, { page: "" }, { page: 7 }])("refuses %j", (traits) => {
  // @ts-expect-error: what plain JavaScript may pass
  const define = () => defineMethod("acme/all", { ...schemas, ...traits });
  expect(define).toThrow(
    expect.objectContaining({
      code: "invalid-argument",
      message: expect.stringContaining("expected the name of a member"),
    }),
  );
});
