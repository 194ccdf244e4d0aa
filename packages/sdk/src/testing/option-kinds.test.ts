/** Options and arguments of the wrong kind, as plain JavaScript allows them. */
import { describe, expect, it } from "vitest";
import { Client } from "../client/index.js";
import { createFetchHandler } from "../hosting/web/fetch-handler.js";
import { createNodeHandler, serveHttp, serveSocket, serveStdio } from "../node/index.js";
import { defineExtension } from "../routing/extension.js";
import { defineListenFilter } from "../routing/listen-filter-definition.js";
import { defineMethod, defineNotification } from "../routing/method-definition.js";
import { McpServer } from "../server/mcp-server.js";
import { connectInProcess } from "./connect-in-process.js";

const IDENTITY = { name: "peer", version: "1.0.0" };
const ANY = { type: "object" };
const newServer = (options: object = {}) => new McpServer({ ...IDENTITY, ...options });
const serve = (options: unknown) => serveHttp(newServer(), options as object);
const connect = (target: unknown) => Client.connect(target as never, IDENTITY);

const notification = defineNotification("notifications/shop/changed", { params: ANY });
const shops = defineListenFilter("shopIds", { filter: { type: "array" }, notification, topicOf: () => "" });
const shop = defineExtension("com.example/shop", { listenFilters: [shops] });

async function listen(filter: unknown) {
  await using client = await connectInProcess(newServer({ extensions: [shop] }), { extensions: [shop] });
  await client.listen(filter as never);
}

const SERVER = "expected an McpServer first, got";
const HOSTS = '"any" or a list such as ["mcp.example.com"]';
const ORIGINS = '"any" or a list such as ["https://app.example.com"]';

/** A store that nobody awaited. */
const LATE = Promise.resolve(new Map());

const CASES: [use: () => unknown, message: string][] = [
  [() => serveHttp(undefined as never), `serveHttp: ${SERVER} nothing; write serveHttp(new McpServer({ name`],
  [() => serveHttp(McpServer as never), `serveHttp: ${SERVER} the function McpServer`],
  [() => serveSocket({} as never, { port: 0 }), `serveSocket: ${SERVER} an object`],
  [() => serveStdio(null as never), `serveStdio: ${SERVER} null`],
  [() => createNodeHandler("server" as never), `createNodeHandler: ${SERVER} the string "server"`],
  [() => createFetchHandler(7 as never), `createFetchHandler: ${SERVER} 7`],
  [() => serve(3000), "serveHttp: expected an object with some of path, legacy"],
  [() => serve({ allowedHosts: "x.com" }), `allowedHosts: expected ${HOSTS}, got the string "x.com"`],
  [
    () => serve({ allowedHosts: ["https://x.com"] }),
    `allowedHosts: expected ${HOSTS}, got the string "https://x.com" in`,
  ],
  [() => serve({ allowedHosts: ["*"] }), `allowedHosts: expected ${HOSTS}, got the string "*" in it`],
  [() => serve({ allowedHosts: [7] }), `allowedHosts: expected ${HOSTS}, got 7 in it`],
  [() => serve({ allowedOrigins: ["x.com"] }), `allowedOrigins: expected ${ORIGINS}, got the string "x.com" in it`],
  [() => serve({ allowedOrigins: ["https://x.com/"] }), `allowedOrigins: expected ${ORIGINS}`],
  [() => serve({ cors: true }), "serveHttp: cors: expected an object, got true"],
  [() => serve({ cors: {} }), `cors.origins: expected ${ORIGINS}, got null`],
  [() => serve({ cors: { origins: "https://x.com" } }), `cors.origins: expected ${ORIGINS}`],
  [() => serve({ legacy: true }), "legacy: expected an object with some of stateless"],
  [() => serve({ clientAddress: "x-real-ip" }), 'clientAddress: expected a function, got the string "x-real-ip"'],
  [() => newServer({ extensions: {} }), "McpServer: extensions: expected a list, got an object"],
  [
    () => newServer({ extensions: ["com.x/y"] }),
    'extensions: expected an extension, got the string "com.x/y"; import the extension, as in import { tasks } from',
  ],
  [() => newServer({ extensions: [{}] }), "extensions: expected an extension, got an object; write [defineExtension("],
  [
    () => serve({ legacy: { sessionStore: LATE } }),
    "legacy: sessionStore: expected a SessionStore, got a promise; await it",
  ],
  [() => serve({ legacy: { sessionStore: new Set() } }), "a SessionStore, got an object without the method get"],
  [
    () => serve({ legacy: { eventStore: LATE } }),
    "legacy: eventStore: expected an EventStore, got a promise; await it",
  ],
  [() => serve({ legacy: { eventStore: new Map() } }), "an EventStore, got an object without the method append"],
  [() => newServer({ changeBus: LATE }), "changeBus: expected a ChangeBus, got a promise; await it"],
  [
    () => newServer({ requestState: { singleUse: LATE } }),
    "requestState: singleUse: expected true or a UsedStates, got a p",
  ],
  [
    () => new Client({ ...IDENTITY, cache: { store: LATE } } as never),
    "cache: store: expected a CacheStore, got a promise",
  ],
  [
    () => new Client({ ...IDENTITY, authorization: {} } as never),
    'there is no option "authorization"; pass it with the URL: Client.connect({ url, authorization }',
  ],
  [() => newServer({ onStart: 5 }), "McpServer: onStart: expected a function, got 5"],
  [() => newServer({ onError: "x" }), 'McpServer: onError: expected a function, got the string "x"'],
  [() => newServer({ instructions: 7 }), "McpServer: instructions: expected a string, got 7"],
  [() => newServer({ rateLimits: 7 }), "rateLimits: expected false or an object such as"],
  [
    () => newServer({ rateLimits: { "tools/call": 7 } }),
    'rateLimits["tools/call"]: expected an object with some of perS',
  ],
  [() => newServer({ cache: 5 }), "McpServer: cache: expected an object, got 5"],
  [() => new Client({ ...IDENTITY, cache: 5 } as never), "cache: expected an object with some of store"],
  [() => connect(5), "connect: expected a URL, { url }, { command, args }, an McpServer or a transport, got 5"],
  [() => connect({ uri: "http://localhost" }), "an McpServer or a transport, got an object with uri"],
  [() => connect({}), "an McpServer or a transport, got an object with no members"],
  [() => listen(undefined), "listen: expected an object with some of tools"],
  [() => listen({ tool: true }), 'listen: there is no option "tool"; did you mean "tools"?'],
  [() => listen({ shopIds: [] }), 'listen: there is no option "shopIds"; expected some of tools'],
  [() => listen({ extensions: [shops] }), "listen: extensions: expected filters with values; write [jobIds.of(value)]"],
  [() => listen({ extensions: ["shopIds"] }), "listen: extensions: expected filters with values"],
];

describe("an option or argument of the wrong kind", () => {
  it.each(CASES)("is refused with what was expected: %s", async (use, message) => {
    await expect((async () => use())()).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(message),
    });
  });

  it("is no host name, origin or filter that is valid", async () => {
    const allowedHosts = ["mcp.example.com", "MCP.example.com:8443", "[::1]:80", "localhost"];
    const allowedOrigins = ["https://app.example.com", "http://localhost:3000", "vscode-webview://abc", "null"];
    await using http = await serve({ allowedHosts, allowedOrigins, cors: { origins: "any" } });
    expect(http.port).toBeGreaterThan(0);
    await expect(listen({ extensions: [shops.of([])] })).resolves.toBeUndefined();
  });
});

describe("page", () => {
  const page = (result: object) => () => defineMethod("shop/list", { params: ANY, result, page: "b" } as never);

  it("names a member of the result, if its schema lists all members", () => {
    expect(page({ type: "object", properties: { a: {} } })).toThrow(
      'defineMethod("shop/list"): page: the result has no member "b"; expected one of a',
    );
    expect(page({ type: "object", properties: { b: {} } })).not.toThrow();
  });

  it.each([
    { type: "object" },
    { type: "object", properties: { a: {} }, additionalProperties: true },
    { type: "object", properties: { a: {} }, allOf: [{ properties: { b: {} } }] },
  ])("is not checked against %j", (result) => {
    expect(page(result)).not.toThrow();
  });

  it("is checked against a schema of a library that describes itself", () => {
    const standard = (jsonSchema?: object) => ({
      "~standard": { version: 1, vendor: "test", validate: () => ({}), jsonSchema },
    });
    const described = { input: () => ({ type: "object", properties: { a: {} } }) };
    expect(page(standard(described))).toThrow('the result has no member "b"');
    expect(page(standard())).not.toThrow();
  });
});

describe("a function that returns a promise instead of a value", () => {
  it("fails a list as listed, and is reported", async () => {
    const reports: Error[] = [];
    const server = newServer({ onError: (error: Error) => reports.push(error) });
    server.tool("x", { listed: (async () => Promise.reject(new Error("late"))) as never }, () => "");
    await using client = await connectInProcess(server);
    await expect(client.listTools()).rejects.toMatchObject({ code: -32603 });
    expect(String(reports[0]?.cause ?? reports[0])).toContain("listed: expected true or false, got a promise");
  });

  it.each([
    [async () => Promise.reject(new Error("late")), "got a promise from it"],
    [() => 5, "got 5 from it"],
  ])("fails a call as clientAddress, and is reported: %s", async (clientAddress, got) => {
    const reports: Error[] = [];
    const server = newServer({ onError: (error: Error) => reports.push(error) });
    server.tool("x", () => "");
    await using http = await serveHttp(server, { clientAddress: clientAddress as never });
    await using client = await Client.connect(http.url, IDENTITY);
    await expect(client.callTool("x")).rejects.toMatchObject({ code: -32603 });
    expect(String(reports[0]?.cause ?? reports[0])).toContain(
      `clientAddress: expected a function that returns a string, ${got}`,
    );
  });
});
