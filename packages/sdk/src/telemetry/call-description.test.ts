import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { MiddlewareCall } from "../routing/middleware.js";
import type { RequestContext } from "../routing/request-context.js";
import type { JsonObject } from "../runtime/json.js";
import { argumentAttributes, describeCall, resultAttributes, SessionDigests, sessionOf } from "./call-description.js";

const outbound = (method: string, params: JsonObject = {}): MiddlewareCall<RequestContext> => ({
  kind: "request",
  direction: "outbound",
  revision: "2026-07-28",
  method,
  params,
  context: undefined,
});

test.each([
  ["tools/call", { name: "deploy" }, "tools/call deploy"],
  ["tools/call", { name: 7 }, "tools/call"],
  ["tools/call", { name: "x".repeat(128) }, `tools/call ${"x".repeat(128)}`],
  ["tools/call", { name: "x".repeat(129) }, "tools/call"],
  ["prompts/get", { name: "greet" }, "prompts/get greet"],
  ["completion/complete", { ref: { type: "ref/prompt", name: "greet" } }, "completion/complete greet"],
  ["completion/complete", { ref: { type: "ref/resource", uri: "a://{b}" } }, "completion/complete"],
  ["completion/complete", {}, "completion/complete"],
  ["resources/read", { uri: "notes://1" }, "resources/read"],
  ["acme/do", { name: "deploy" }, "acme/do"],
  ["x".repeat(129), {}, "_OTHER"],
])("%s with %j is a span named %s", (method, params, name) => {
  expect(describeCall(outbound(method, params)).spanName).toBe(name);
});

test.each([
  ["resources/read", { uri: "notes://1" }, "notes://1"],
  ["resources/read", { uri: 1 }, undefined],
  ["notifications/resources/updated", { uri: "notes://1" }, "notes://1"],
  ["acme/do", { uri: "notes://1" }, undefined],
])("%s with %j names the resource %s", (method, params, uri) => {
  const { spanAttributes, metricAttributes } = describeCall(outbound(method, params));
  expect(spanAttributes["mcp.resource.uri"]).toBe(uri);
  expect(metricAttributes["mcp.resource.uri"]).toBeUndefined();
});

test.each([
  ["legacy", { headers: { "mcp-session-id": "s-1" } }, "s-1"],
  ["legacy", { headers: {} }, undefined],
  ["legacy", undefined, undefined],
  ["modern", { headers: { "mcp-session-id": "s-1" } }, undefined],
] as const)("in the %s era with %j the session is %s", (era, caller, session) => {
  // Described by these members alone.
  const context = { requestId: "a", era, caller } as unknown as RequestContext;
  const call = { ...outbound("ping"), direction: "inbound", context } as const;
  expect(sessionOf(call)).toBe(session);
  expect(describeCall(call).spanAttributes).toEqual({
    "mcp.method.name": "ping",
    "mcp.protocol.version": expect.any(String),
    "jsonrpc.request.id": "a",
  });
});

test("a URI and a request id of any length are left out", () => {
  const at = (length: number) => {
    // Described by these members alone.
    const context = { requestId: "x".repeat(length), era: "modern" } as unknown as RequestContext;
    const call = outbound("resources/read", { uri: "x".repeat(length) });
    return Object.keys(describeCall({ ...call, direction: "inbound", context }).spanAttributes);
  };
  expect(at(128)).toEqual(expect.arrayContaining(["mcp.resource.uri", "jsonrpc.request.id"]));
  expect(at(129)).not.toContain("jsonrpc.request.id");
  expect(at(2_048)).toContain("mcp.resource.uri");
  expect(at(2_049)).not.toContain("mcp.resource.uri");
});

test.each([
  ["tools/call", { arguments: { a: [1] } }, { "gen_ai.tool.call.arguments": '{"a":[1]}' }],
  ["prompts/get", { arguments: { who: "Ada" } }, { "gen_ai.prompt.variable.who": "Ada" }],
  ["prompts/get", {}, {}],
  ["acme/do", { arguments: { a: 1 } }, {}],
])("the arguments of %s %j", (method, params, attributes) => {
  expect(argumentAttributes(outbound(method, params))).toEqual(attributes);
});

test.each([
  ["tools/call", { content: [] }, { "gen_ai.tool.call.result": '{"content":[]}' }],
  ["tools/call", { content: [], isError: true }, {}],
  ["tools/call", { resultType: "input_required", requestState: "s" }, {}],
  ["tools/call", undefined, {}],
  ["prompts/get", { messages: [] }, {}],
])("the result of %s %j", (method, result, attributes) => {
  expect(resultAttributes(outbound(method), result)).toEqual(attributes);
});

test("the digest of a session id is half of its SHA-256, and is synchronous the second time", async () => {
  const digests = new SessionDigests();
  const expected = createHash("sha256").update("s-1").digest("hex").slice(0, 32);
  const first = digests.of("s-1");
  expect(first).toBeInstanceOf(Promise);
  expect(await first).toBe(expected);
  expect(digests.of("s-1")).toBe(expected);
});

test("arguments are those of tools and prompts", () => {
  const given = { arguments: { name: "Ada" } };
  expect(argumentAttributes(outbound("prompts/get", given))).toEqual({ "gen_ai.prompt.variable.name": "Ada" });
  expect(argumentAttributes(outbound("acme/do", given))).toEqual({});
});
