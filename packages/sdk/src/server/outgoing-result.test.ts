import { describe, expect, it } from "vitest";
import { findRequest } from "../protocol/method-table.js";
import { outgoingComplaint } from "./outgoing-result.js";

const specOf = (method: string) => findRequest("2026-07-28", "client", method);

describe("a result that a middleware made", () => {
  it.each([
    ["tools/call", { content: ["no block", { _meta: { fine: 1 } }, { text: "" }] }],
    ["prompts/get", { messages: ["no message", { content: "no block" }] }],
    ["resources/read", { contents: [null], ttlMs: 0 }],
    ["tools/call", { ttlMs: -1 }],
    ["acme/own", { contents: [], ttlMs: -1, content: [{ _meta: { "-": 1 } }] }],
  ])("of %s passes: %j", (method, result) => {
    expect(outgoingComplaint(result, specOf(method), specOf(method)?.cacheable === true)).toBeUndefined();
  });

  it.each([
    ["tools/call", { content: ["no block", { _meta: { "a b": 1 } }] }, 'result.content[1]._meta["a b"]: expected'],
    ["tools/list", { tools: [], ttlMs: 0.5 }, "result.ttlMs: expected a whole number from 0, got 0.5"],
    ["tools/list", { tools: [], ttlMs: "1" }, "result.ttlMs: expected a whole number from 0, got 1"],
    ["acme/own", { _meta: { "-": 1 } }, 'result._meta["-"]: expected'],
  ])("of %s is refused: %j", (method, result, complaint) => {
    expect(outgoingComplaint(result, specOf(method), specOf(method)?.cacheable === true)).toContain(complaint);
  });
});
