import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import type { JsonSchema } from "parley-mcp/types";
import { expect } from "vitest";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { connectLegacy, connectModern, RawHttpServer } from "../../src/http/raw-http-server.js";
import { verifies } from "../../src/verifies.js";

const INPUT: JsonSchema = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    limit: { type: "integer", "x-mcp-header": "Limit" },
    isDry: { type: ["boolean", "null"], "x-mcp-header": "Dry-Run" },
    where: { type: "object", properties: { tenant: { type: "string", "x-mcp-header": "Tenant" } } },
  },
};
const BAD = { name: "bad", inputSchema: { type: "object", properties: { a: { type: "string", "x-mcp-header": "" } } } };
const refresh = { resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" };

verifies(
  ["client-transport:http:custom-param-headers", "client-transport:http:header-mismatch-refreshes"],
  "headers in which a client repeats arguments are accepted by a checking server, whether the client had listed the tool or not",
  async () => {
    const server = new McpServer({ name: "queries", version: "1.0.0", pageSize: 1 });
    server.tool("first", {}, () => "");
    server.tool("query", { input: INPUT }, (args) => JSON.stringify(args));
    const methods: unknown[] = [];
    await using host = await hostHttp(server, {
      onResponse: ({ method, status }) => void methods.push([method, status]),
    });
    await using client = await Client.connect(host.url, { name: "c", version: "1.0.0", revision: "2026-07-28" });
    const calls = [
      { region: " süd\n", limit: -7, isDry: false, where: { tenant: "=?base64?eA==?=" } },
      { region: "", limit: 9007199254740991, isDry: null },
      { where: {} },
    ];
    for (const args of calls) {
      const { content } = await client.callTool("query", args);
      expect(content).toEqual([{ type: "text", text: JSON.stringify(args) }]);
    }

    const call = ["tools/call", 200];
    expect(methods.slice(0, 4)).toEqual([["tools/call", 400], ["tools/list", 200], ["tools/list", 200], call]);
    expect(methods.slice(4)).toEqual([call, call]);
  },
);

verifies(
  "client-transport:http:header-text-length",
  "a name or argument that is too long for a header rejects before it is encoded",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const listed = client.listTools();
    (await server.next()).result({ ...refresh, tools: [{ name: "query", inputSchema: INPUT }], ttlMs: 60_000 });
    await listed;
    const tooLong = {
      code: "invalid-argument",
      message: expect.stringContaining("at most 65536 characters: got 65537"),
    };
    const long = "a".repeat(65_537);
    await expect(client.callTool(long)).rejects.toMatchObject(tooLong);
    await expect(client.readResource(long)).rejects.toMatchObject(tooLong);
    await expect(client.callTool("query", { region: long })).rejects.toMatchObject(tooLong);
    const called = client.callTool("query", { region: "b" });
    const next = await server.next();
    expect(next.message?.params?.arguments).toEqual({ region: "b" });
    next.result({ resultType: "complete", content: [] });
    await called;
  },
);

verifies(
  "client-transport:http:header-mismatch-refreshes",
  "a second refusal reaches the caller, and so does an abort while the tools are listed",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const refuse = async () => {
      const call = await server.next();
      call.json({ jsonrpc: "2.0", id: call.message?.id, error: { code: -32020, message: "Header mismatch" } }, 400);
    };
    const called = client.callTool("query");
    await refuse();
    (await server.next()).result(refresh);
    await refuse();
    await expect(called).rejects.toMatchObject({ code: -32020 });
    const controller = new AbortController();
    const aborted = client.callTool("query", {}, { signal: controller.signal });
    await refuse();
    const listing = await server.next();
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: "request-aborted" });
    await listing.closed;

    expect(server.log.filter((entry) => entry === "POST tools/call")).toHaveLength(3);
    await client.close();
  },
);

verifies(
  "client-transport:http:header-mismatch-refreshes",
  "a refusal in a later round repeats that round alone, with what the user has answered",
  async () => {
    await using server = await RawHttpServer.start();
    let asked = 0;
    const elicit = () => {
      asked += 1;
      return { action: "accept", content: { ok: true } } as const;
    };
    const { client } = await connectModern(server, { client: { elicit } });
    const called = client.callTool("query", { region: "eu" }, { id: "mine" });
    const question = {
      method: "elicitation/create",
      params: { message: "Sure?", requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } } },
    };
    (await server.next()).result({ resultType: "input_required", requestState: "s1", inputRequests: { q: question } });
    const refused = await server.next();
    refused.json({ jsonrpc: "2.0", id: refused.message?.id, error: { code: -32020, message: "Header mismatch" } }, 400);
    (await server.next()).result({ ...refresh, tools: [{ name: "query", inputSchema: INPUT }] });
    const again = await server.next();
    expect([again.message?.params, again.header("mcp-param-region")]).toEqual([refused.message?.params, "eu"]);
    expect(again.message?.params).toMatchObject({ requestState: "s1", inputResponses: { q: { action: "accept" } } });
    again.result({ resultType: "complete", content: [{ type: "text", text: "done" }] });
    expect((await called).content).toEqual([{ type: "text", text: "done" }]);
    expect([asked, refused.header("mcp-param-region")]).toEqual([1, undefined]);
    await client.close();
  },
);

verifies(
  "client-transport:http:any-form-of-call",
  "a tool that is listed and called by the names of its methods is treated like one by listTools and callTool",
  { judge: "our-side-is-made-to-misbehave" },
  async () => {
    await using server = await RawHttpServer.start();
    const { client, errors } = await connectModern(server);
    const listed = client.request("tools/list");
    (await server.next()).result({ ...refresh, tools: [BAD, { name: "query", inputSchema: INPUT }] });
    expect((await listed).tools).toEqual([{ name: "query", inputSchema: INPUT }]);
    expect(errors).toMatchObject([{ code: "unusable-schema", message: expect.stringContaining('"bad"') }]);

    const called = client.request("tools/call", { name: "query", arguments: { region: "eu" } });
    const call = await server.next();
    expect(call.header("mcp-param-region")).toBe("eu");
    call.json({ jsonrpc: "2.0", id: call.message?.id, error: { code: -32020, message: "Header mismatch" } }, 400);
    (await server.next()).result({ ...refresh, tools: [{ name: "query", inputSchema: { type: "object" } }] });
    const again = await server.next();
    expect(again.header("mcp-param-region")).toBeUndefined();
    again.result({ resultType: "complete", content: [] });
    expect(await called).toMatchObject({ content: [] });

    const odd = client.request("tools/call", { arguments: {} });
    (await server.next()).result({ resultType: "complete", content: [] });
    await odd;
    await client.close();
  },
);

verifies(
  "client-transport:http:bad-header-annotation",
  "a tool with a bad header annotation stays in legacy lists, since legacy requests repeat nothing in headers",
  async () => {
    await using server = await RawHttpServer.start();
    const { client, errors } = await connectLegacy(server);
    const listed = client.listTools();
    (await server.next()).result({ tools: [BAD] });
    expect((await listed).tools).toEqual([BAD]);
    expect(errors).toEqual([]);
    const modern = await connectModern(server);
    const left = modern.client.listTools();
    (await server.next()).result({ ...refresh, tools: [BAD] });
    expect((await left).tools).toEqual([]);
    expect(modern.errors).toMatchObject([{ code: "unusable-schema", message: expect.stringContaining('"bad"') }]);
    await Promise.all([client.close(), modern.client.close()]);
  },
);
