import { expect, it } from "vitest";
import { limitHeld } from "../../errors/limit-reached.js";
import { insufficientScope } from "../../errors/protocol-error.js";
import type { JsonRpcAnswer } from "../../wire/json-rpc.js";
import { headersOf, refusedStatus } from "./error-status.js";
import { JSON_HEADERS } from "./media-types.js";

const failed = ({ code, message, data }: { code: number; message: string; data?: unknown }): JsonRpcAnswer => ({
  jsonrpc: "2.0",
  id: 1,
  error: { code, message, data },
});

it("a lack of scopes is 403, with a challenge where the caller has one", () => {
  const answer = failed(insufficientScope(["a", "b"]));
  expect(refusedStatus(answer)).toBe(403);
  const challenging = { scopeChallenge: (scopes: readonly string[]) => `Test ${scopes}` };
  expect(headersOf(answer, challenging)).toEqual({ ...JSON_HEADERS, "www-authenticate": "Test a,b" });
  for (const caller of [undefined, {}]) expect(headersOf(answer, caller)).toEqual(JSON_HEADERS);
});

it.each([{}, undefined, { scopes: "a" }])("an error with the code of one and %j is no refusal", (data) => {
  expect(refusedStatus(failed({ code: 403, message: "mine", data }))).toBeUndefined();
});

it("a limit without a time to wait has no Retry-After, and results are no refusals", () => {
  const held = failed(limitHeld("principal", "Too much to keep"));
  expect([refusedStatus(held), headersOf(held, undefined)]).toEqual([429, JSON_HEADERS]);
  const result: JsonRpcAnswer = { jsonrpc: "2.0", id: 1, result: {} };
  expect([refusedStatus(result), headersOf(result, undefined)]).toEqual([undefined, JSON_HEADERS]);
});
