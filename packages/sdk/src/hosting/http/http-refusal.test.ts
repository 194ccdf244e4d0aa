import { expect, it } from "vitest";
import { HttpRefusal } from "./http-refusal.js";

it("has no body without a message, and is an invalid request unless it has a code", () => {
  expect(new HttpRefusal(404)).toMatchObject({ status: 404, message: "HTTP 404", error: undefined, headers: {} });
  const cause = new Error("why");
  const full = new HttpRefusal(429, {
    message: "Wait",
    code: 7,
    data: { a: 1 },
    headers: { "retry-after": "1" },
    cause,
  });
  expect(full).toMatchObject({ message: "Wait", cause, headers: { "retry-after": "1" } });
  expect(full.error).toEqual({ code: 7, message: "Wait", data: { a: 1 } });
});

it("has names for the usual refusals", () => {
  expect(HttpRefusal.badRequest("No")).toMatchObject({ status: 400, error: { code: -32600, message: "No" } });
  expect(HttpRefusal.unauthorized()).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
  expect(HttpRefusal.forbidden("No")).toMatchObject({ status: 403, error: { message: "No" } });
  expect(HttpRefusal.methodNotAllowed("GET")).toMatchObject({ status: 405, headers: { allow: "GET" } });
  expect(HttpRefusal.tooLarge(9)).toMatchObject({ status: 413, headers: { connection: "close" } });
});
