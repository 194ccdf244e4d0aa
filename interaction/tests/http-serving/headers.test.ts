import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { callPost, enveloped, exchange, MODERN, modernPost, type Post, refused } from "../../src/http/http-posts.js";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const VERSION = "io.modelcontextprotocol/protocolVersion";

function queries(): McpServer {
  const server = new McpServer({ name: "queries", version: "1.0.0", onError: () => {}, toolNames: "any" });
  const mirrored = (type: string, header: string) => ({ type, "x-mcp-header": header });
  const properties = {
    region: mirrored("string", "Region"),
    limit: mirrored("integer", "Limit"),
    isDry: mirrored("boolean", "Dry-Run"),
    where: { type: "object", properties: { tenant: mirrored("string", "Tenant") } },
  };
  server.tool("query", { input: { type: "object", properties } }, (args) => JSON.stringify(args));
  server.tool("größe", {}, () => "groß");
  return server;
}

const MISMATCH = refused(400, -32020, 1);

verifies(
  ["hosting:http:modern:header-version", "hosting:http:modern:header-mirrors"],
  "version, method and name must be in the headers as they are in the body",
  async () => {
    await using host = await hostHttp(queries());
    const send = (post: Post) => exchange(host.url, post);
    const list = (headers: Record<string, string | undefined>) => send(modernPost("tools/list", enveloped(), headers));
    expect(await list({})).toMatchObject({ status: 200 });
    const unversioned = await list({ "mcp-protocol-version": undefined });
    expect(unversioned).toMatchObject(MISMATCH);
    expect(unversioned.json?.error).toMatchObject({ message: expect.stringContaining("Version is missing") });
    expect(await list({ "mcp-protocol-version": "2025-11-25" })).toMatchObject(MISMATCH);
    for (const method of [undefined, "tools/call", "TOOLS/LIST"]) {
      expect(await list({ "mcp-method": method })).toMatchObject(MISMATCH);
    }
    for (const name of [undefined, "other", "QUERY"]) {
      expect(await send(callPost("query", {}, { "mcp-name": name }))).toMatchObject(MISMATCH);
    }
    const { json } = await send(callPost("query", {}, { "mcp-name": "other" }));
    expect(json?.error).toMatchObject({ message: expect.stringMatching(/Mcp-Name.*"other".*"query"/) });
  },
);

verifies(
  "hosting:http:modern:header-forms",
  "names have any case, and space around a value is no part of it",
  async () => {
    await using host = await hostHttp(queries());
    const { headers, ...rest } = callPost("query", { region: "eu" }, { "mcp-param-region": "eu" });
    const shouted = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), ` ${value}  `]),
    );
    expect(await exchange(host.url, { ...rest, headers: shouted })).toMatchObject({ status: 200 });
  },
);

verifies(
  "hosting:http:modern:header-base64",
  "encoded header values are decoded and compared, and broken ones are refused",
  async () => {
    await using host = await hostHttp(queries());
    const encoded = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;
    const send = (name: string, args: object, headers: Record<string, string>) =>
      exchange(host.url, callPost(name, { ...args }, headers));
    const served = { status: 200, json: { result: {} } };
    expect(await send("größe", {}, { "mcp-name": encoded("größe") })).toMatchObject(served);
    for (const region of ["süd", " padded ", "a\nb", "=?base64?eA==?=", "eu"]) {
      expect(await send("query", { region }, { "mcp-param-region": encoded(region) })).toMatchObject(served);
    }
    for (const region of ["=?base64?eu", "eu?=", "=?BASE64?eA==?="]) {
      expect(await send("query", { region }, { "mcp-param-region": region })).toMatchObject(served);
    }
    for (const broken of ["=?base64?eA?=", "=?base64?e_==?=", "=?base64?/w==?=", "=?base64?eB==?=", encoded("y")]) {
      expect(await send("query", { region: "x" }, { "mcp-param-region": broken })).toMatchObject(MISMATCH);
      expect(await send("query", {}, { "mcp-name": broken })).toMatchObject(MISMATCH);
    }
    const replaced = { region: "\uFFFD" };
    expect(await send("query", replaced, { "mcp-param-region": "=?base64?/w==?=" })).toMatchObject(MISMATCH);
  },
);

verifies(
  "hosting:http:modern:header-unsafe",
  "raw bytes beyond ASCII and integers that lose digits are refused although the body says the same",
  async () => {
    await using host = await hostHttp(queries());
    const send = (args: object, headers: Record<string, string>) =>
      exchange(host.url, callPost("query", { ...args }, headers));

    expect(await send({ region: "süd" }, { "mcp-param-region": "süd" })).toMatchObject(MISMATCH);
    expect(await send({ limit: 2 ** 53 }, { "mcp-param-limit": String(2 ** 53) })).toMatchObject(MISMATCH);
    const last = Number.MAX_SAFE_INTEGER;
    expect(await send({ limit: last }, { "mcp-param-limit": String(last) })).toMatchObject({ status: 200 });
  },
);

verifies("hosting:http:modern:header-params", "annotated arguments travel in headers that say the same", async () => {
  await using host = await hostHttp(queries());
  const send = (args: object, headers: Record<string, string>) =>
    exchange(host.url, callPost("query", { ...args }, headers));
  const args = { region: "eu", limit: 42, isDry: false, where: { tenant: "t" } };
  const headers = {
    "mcp-param-region": "eu",
    "mcp-param-limit": "42.0",
    "mcp-param-dry-run": "false",
    "mcp-param-tenant": "t",
    "mcp-param-unheard": "of",
  };
  const { status, json } = await send(args, headers);
  expect([status, json?.result]).toMatchObject([200, { content: [{ text: JSON.stringify(args) }] }]);
  expect(await send({}, {})).toMatchObject({ status: 200 });
  for (const name of Object.keys(headers).slice(0, 4)) {
    const { [name]: _left, ...others } = { ...headers } as Record<string, string>;
    expect(await send(args, others)).toMatchObject(MISMATCH);
    expect(await send(args, { ...headers, [name]: "7" })).toMatchObject(MISMATCH);
  }
  expect(await send({}, { "mcp-param-region": "eu" })).toMatchObject(MISMATCH);
});

verifies(
  "hosting:http:modern:header-params-own",
  "headers of tools with a handler of one's own are checked against the server's own list, page by page",
  async () => {
    const server = new McpServer({ name: "gateway", version: "1.0.0", onError: () => {} });
    const region = { type: "string", "x-mcp-header": "Region" };
    const tool = (name: string) => ({ name, inputSchema: { type: "object", properties: { region } } });
    const cursors: unknown[] = [];
    server.handle("tools/list", ({ cursor }) => {
      cursors.push(cursor);
      return cursor === undefined ? { tools: [tool("first")], nextCursor: "2" } : { tools: [tool("second")] };
    });
    server.handle("tools/call", ({ name }) => ({ content: [{ type: "text", text: `called ${name}` }] }));
    await using host = await hostHttp(server);
    const send = (name: string, args: object, headers: Record<string, string>) =>
      exchange(host.url, callPost(name, { ...args }, headers));

    const served = { status: 200, json: { result: { content: [{ text: "called second" }] } } };
    expect(await send("second", { region: "eu" }, { "mcp-param-region": "eu" })).toMatchObject(served);
    expect(await send("second", {}, {})).toMatchObject(served);
    expect(cursors).toEqual([undefined, "2"]);
    expect(await send("second", { region: "eu" }, { "mcp-param-region": "us" })).toMatchObject(MISMATCH);
    expect(await send("second", { region: "eu" }, {})).toMatchObject(MISMATCH);
    expect(await send("second", {}, { "mcp-param-region": "eu" })).toMatchObject(MISMATCH);
    expect(await send("unlisted", {}, { "mcp-param-region": "eu" })).toMatchObject(MISMATCH);
    expect(await send("unlisted", {}, {})).toMatchObject({ status: 200 });
  },
);

verifies(
  "hosting:http:modern:header-order",
  "the first fault of the documented order is the one that is answered",
  async () => {
    await using host = await hostHttp(queries());
    const send = (params: ReturnType<typeof enveloped>, headers: Record<string, string | undefined>, method = "nope") =>
      exchange(host.url, modernPost(method, params, headers));
    const bare = enveloped({}, { [CAPABILITIES]: undefined });
    const unknown = enveloped({}, { [VERSION]: "v999" });
    const wrong = { "mcp-method": "wrong" };
    expect(await send(bare, { "mcp-protocol-version": undefined, ...wrong })).toMatchObject(MISMATCH);
    expect(await send(bare, { "mcp-protocol-version": "v999", ...wrong })).toMatchObject(refused(400, -32602, 1));
    expect(await send(unknown, { "mcp-protocol-version": MODERN, ...wrong })).toMatchObject(MISMATCH);
    expect(await send(unknown, { "mcp-protocol-version": "v999", ...wrong })).toMatchObject(refused(400, -32022, 1));
    expect(await send(enveloped(), wrong)).toMatchObject(MISMATCH);
    expect(await send(enveloped(), {})).toMatchObject(refused(404, -32601, 1));
  },
);

verifies(
  "hosting:http:modern:duplicate-keys",
  "a body with a key twice is held to the value that is served",
  async () => {
    await using host = await hostHttp(queries());
    const post = callPost("query", { region: "eu" }, { "mcp-param-region": "eu" });
    const twice = { ...post, body: post.body.replace('"region":"eu"', '"region":"us","region":"eu"') };
    expect((await exchange(host.url, twice)).json).toMatchObject({
      result: { content: [{ text: '{"region":"eu"}' }] },
    });
    const turned = { ...post, body: post.body.replace('"region":"eu"', '"region":"eu","region":"us"') };
    expect(await exchange(host.url, turned)).toMatchObject(MISMATCH);
  },
);

verifies(
  "tools:register:header-annotations",
  "a tool whose annotation breaks a rule is refused, and told which",
  () => {
    const server = new McpServer({ name: "s", version: "1.0.0" });
    const register = (properties: object) => server.tool("t", { input: { type: "object", properties } }, () => "");
    const a = (annotation: unknown, type = "string") => ({ a: { type, "x-mcp-header": annotation } });
    for (const bad of [a(""), a("a b"), a("a\r\nb"), a("A", "number"), a("A", "object"), a(7)]) {
      expect(() => register(bad)).toThrow(/tool "t": input: a: x-mcp-header/);
    }
    expect(() => register({ ...a("X"), b: { type: "string", "x-mcp-header": "x" } })).toThrow(/used twice/);
    expect(() => register({ list: { type: "array", items: { type: "string", "x-mcp-header": "X" } } })).toThrow(
      /properties alone/,
    );
  },
);
