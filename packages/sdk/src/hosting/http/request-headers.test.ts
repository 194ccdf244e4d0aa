import { describe, expect, it } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import { createFetchHandler } from "../web/fetch-handler.js";
import { call, modern, type Posted, REVISION, withEnvelope } from "./modern-requests.fixture.js";

const server = new McpServer({ name: "s", version: "1.0.0", onError: () => {} });
const property = (type: unknown, header: string) => ({ type, "x-mcp-header": header });
server.tool(
  "query",
  {
    input: {
      type: "object",
      properties: {
        region: property(["string", "null"], "Region"),
        limit: property("integer", "Limit"),
        isDry: property("boolean", "Dry-Run"),
        where: { type: "object", properties: { tenant: property("string", "Tenant") } },
      },
    },
  },
  () => "done",
);
server.prompt("greet", {}, () => "hello");
server.resource("notes://today", { name: "today" }, () => "milk");
const handler = createFetchHandler(server);

async function outcome(posted: Posted): Promise<{ status: number; code: number | undefined; message: string }> {
  const response = await handler(new Request("http://localhost/mcp", posted));
  const { id, error } = JSON.parse(await response.text());
  expect(id).toBe(1);
  return { status: response.status, code: error?.code, message: error?.message ?? "" };
}

const FINE = { status: 200, code: undefined, message: "" };
const mismatch = (message: RegExp) => ({ status: 400, code: -32020, message: expect.stringMatching(message) });

describe("the standard headers", () => {
  it("are compared by value, whatever surrounds it", async () => {
    expect(await outcome(modern("tools/list"))).toEqual(FINE);
    expect(await outcome(call("query", {}, { "mcp-name": "  query\t" }))).toEqual(FINE);
    expect(await outcome(modern("prompts/get", withEnvelope({ name: "greet" })))).toEqual(FINE);
    expect(await outcome(modern("resources/read", withEnvelope({ uri: "notes://today" })))).toEqual(FINE);
  });

  it.each([
    [
      "no revision",
      modern("tools/list", withEnvelope(), { "mcp-protocol-version": undefined }),
      /MCP-Protocol-Version is missing/,
    ],
    [
      "another revision",
      modern("tools/list", withEnvelope(), { "mcp-protocol-version": "2025-11-25" }),
      /says "2025-11-25", but the body says "2026-07-28"/,
    ],
    ["no method", modern("tools/list", withEnvelope(), { "mcp-method": undefined }), /Mcp-Method is missing/],
    [
      "another method",
      modern("tools/list", withEnvelope(), { "mcp-method": "prompts/list" }),
      /Mcp-Method says "prompts\/list"/,
    ],
    [
      "the method in other case",
      modern("tools/list", withEnvelope(), { "mcp-method": "TOOLS/LIST" }),
      /Mcp-Method says/,
    ],
    ["no name", call("query", {}, { "mcp-name": undefined }), /Mcp-Name is missing/],
    ["another name", call("query", {}, { "mcp-name": "other" }), /Mcp-Name says "other", but the body says "query"/],
    ["a name of broken Base64", call("query", {}, { "mcp-name": "=?base64?cXV?=" }), /Mcp-Name is malformed/],
    ["a name of other bytes", call("query", {}, { "mcp-name": "qu\u00e9ry" }), /Mcp-Name is malformed/],
    [
      "another uri",
      modern("resources/read", withEnvelope({ uri: "notes://today" }), { "mcp-name": "x:" }),
      /Mcp-Name says/,
    ],
  ])("with %s are -32020 and 400", async (_what, posted, message) => {
    expect(await outcome(posted)).toEqual(mismatch(message));
  });

  it("are told of with the start of long values alone", async () => {
    const posted = call("\u0001".repeat(5_000), {}, { "mcp-name": "n".repeat(5_000) });
    const { message } = await outcome(posted);
    expect(message).toContain(`Mcp-Name says "${"n".repeat(100)}…", but the body says "\\u0001`);
    expect(message.length).toBeLessThan(900);
  });

  it("may carry a name in Base64", async () => {
    expect(await outcome(call("query", {}, { "mcp-name": "=?base64?cXVlcnk=?=" }))).toEqual(FINE);
    const name = "größe";
    const encoded = { "mcp-name": "=?base64?Z3LDtsOfZQ==?=" };
    expect(await outcome(call(name, {}, encoded))).toEqual({
      status: 200,
      code: -32602,
      message: "Unknown tool: größe",
    });
  });

  it("are not asked for where the body has no name, or the method none", async () => {
    expect(await outcome(modern("tools/call", withEnvelope({ name: 7 })))).toMatchObject({ code: -32602 });
    expect(await outcome(modern("tools/list", withEnvelope(), { "mcp-name": "any" }))).toEqual(FINE);
  });

  it("need no name for tasks, but a fitting one", async () => {
    const params = withEnvelope({ taskId: "7" });
    expect(await outcome(modern("tasks/get", params))).toMatchObject({ status: 404, code: -32601 });
    expect(await outcome(modern("tasks/get", params, { "mcp-name": "8" }))).toEqual(mismatch(/Mcp-Name says "8"/));
  });
});

describe("the headers of arguments", () => {
  it.each([
    ["a string", { region: "eu" }, { "mcp-param-region": "eu" }],
    ["a string in Base64", { region: "süd" }, { "mcp-param-region": "=?base64?c8O8ZA==?=" }],
    ["an empty string", { region: "" }, { "mcp-param-region": "" }],
    ["a look-alike without an end", { region: "=?base64?eu" }, { "mcp-param-region": "=?base64?eu" }],
    ["an integer", { limit: 42 }, { "mcp-param-limit": "42" }],
    ["an integer in another form", { limit: 42 }, { "mcp-param-limit": "42.0" }],
    ["a negative integer", { limit: -7 }, { "mcp-param-limit": "-7" }],
    ["a boolean", { isDry: false }, { "mcp-param-dry-run": "false" }],
    ["a nested argument", { where: { tenant: "t" } }, { "mcp-param-tenant": "t" }],
    ["null", { region: null }, {}],
    ["nothing", {}, {}],
    ["a header nobody asked for", {}, { "mcp-param-else": "x" }],
  ])("fit %s", async (_what, args, headers) => {
    expect(await outcome(call("query", args, headers))).toEqual(FINE);
  });

  it.each([
    ["a value without a header", { region: "eu" }, {}, /mcp-param-region is missing/],
    ["another value", { region: "eu" }, { "mcp-param-region": "us" }, /says "us", but the body says "eu"/],
    ["a header without a value", {}, { "mcp-param-region": "eu" }, /the body has no value/],
    ["a header for null", { region: null }, { "mcp-param-region": "null" }, /the body has no value/],
    ["a header for an object", { region: {} }, { "mcp-param-region": "x" }, /the body has no value/],
    ["bad padding", { region: "x" }, { "mcp-param-region": "=?base64?eA=?=" }, /malformed/],
    ["a bad alphabet", { region: "x" }, { "mcp-param-region": "=?base64?e*==?=" }, /malformed/],
    ["another number", { limit: 42 }, { "mcp-param-limit": "43" }, /says "43"/],
    ["no number", { limit: 0 }, { "mcp-param-limit": "" }, /says ""/],
    ["a number in hexadecimal", { limit: 16 }, { "mcp-param-limit": "0x10" }, /says "0x10"/],
    ["an integer that is not safe", { limit: 2 ** 53 }, { "mcp-param-limit": "9007199254740992" }, /beyond 2\^53/],
    ["a boolean in capitals", { isDry: true }, { "mcp-param-dry-run": "True" }, /says "True"/],
    ["a nested value", { where: { tenant: "t" } }, {}, /mcp-param-tenant is missing/],
  ])("refuse %s", async (_what, args, headers, message) => {
    expect(await outcome(call("query", args, headers))).toEqual(mismatch(message));
  });
});

describe("several faults", () => {
  const bad = { "mcp-method": "wrong" };

  it("are answered for a missing envelope field before a revision that differs", async () => {
    const params = withEnvelope({}, { "io.modelcontextprotocol/clientCapabilities": undefined });
    const answer = await outcome(modern("tools/list", params, { "mcp-protocol-version": "2025-11-25", ...bad }));
    expect(answer).toMatchObject({ status: 400, code: -32602 });
  });

  it("are answered for a revision that differs before one that is not spoken", async () => {
    const params = withEnvelope({}, { "io.modelcontextprotocol/protocolVersion": "v999" });
    expect(await outcome(modern("tools/list", params, bad))).toEqual(mismatch(/MCP-Protocol-Version/));
  });

  it("are answered for a revision that is not spoken before other headers", async () => {
    const params = withEnvelope({}, { "io.modelcontextprotocol/protocolVersion": "v999" });
    const answer = await outcome(modern("tools/list", params, { "mcp-protocol-version": "v999", ...bad }));
    expect(answer).toMatchObject({ status: 400, code: -32022 });
  });

  it("are answered for other headers before a method that does not exist", async () => {
    expect(await outcome(modern("nope", withEnvelope(), bad))).toEqual(mismatch(/Mcp-Method/));
  });
});

it("an envelope that lacks a field is -32602 and 400, though the headers are fine", async () => {
  const params = withEnvelope({}, { "io.modelcontextprotocol/clientCapabilities": undefined });
  expect(await outcome(modern("tools/list", params))).toMatchObject({ status: 400, code: -32602 });
});

it("a modern header without an envelope is -32602 and 400, whatever the method", async () => {
  expect(await outcome(modern("tools/list", {}))).toMatchObject({ status: 400, code: -32602 });
  expect(await outcome(modern("initialize", {}))).toMatchObject({ status: 400, code: -32602 });
  expect(await outcome(modern("tools/list", { _meta: {} }, { "mcp-protocol-version": REVISION }))).toMatchObject({
    code: -32602,
  });
});
