import { Client } from "parley-mcp/client";
import { ChildProcessTransport, createNodeHandler, serveHttp, serveSocket, serveStdio } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const IDENTITY = { name: "peer", version: "1.0.0" };

verifies(
  "limits:options:numbers",
  "a bound of NaN, a text, null or -1 is refused by client, server, transport and host",
  async () => {
    const consumers: [option: string, use: (options: object) => unknown][] = [
      ["maxInputRounds", (options) => new Client({ ...IDENTITY, ...options })],
      ["timeoutMs", (options) => new Client({ ...IDENTITY, ...options })],
      ["maxBatchItems", (options) => new McpServer({ ...IDENTITY, ...options })],
      ["exitGraceMs", (options) => new ChildProcessTransport({ command: "never-started", ...options })],
      ["maxBodyBytes", (options) => serveHttp(new McpServer(IDENTITY), { port: 0, ...options })],
    ];

    for (const [option, use] of consumers) {
      for (const value of [Number.NaN, "8", null, -1]) {
        await expect((async () => use({ [option]: value }))()).rejects.toMatchObject({
          code: "invalid-argument",
          message: expect.stringContaining(`${option}: expected a`),
        });
      }
    }
  },
);

verifies("limits:options:numbers", "a bound of its least value or of Infinity is accepted", () => {
  for (const maxInputRounds of [0, Number.POSITIVE_INFINITY]) {
    expect(() => new Client({ ...IDENTITY, maxInputRounds })).not.toThrow();
  }
});

const text = () => "text";
const newServer = (options: object = {}) => new McpServer({ ...IDENTITY, ...options });

verifies("limits:options:unknown", "a misspelled protection is refused by every host and registration", async () => {
  const mistakes: [use: () => unknown, name: string, meant: string][] = [
    [() => serveHttp(newServer(), { autorization: {} } as object), "autorization", "authorization"],
    [() => serveHttp(newServer(), { authentication: text } as object), "authentication", "authenticate"],
    [() => createNodeHandler(newServer(), { allowedHost: [] } as object), "allowedHost", "allowedHosts"],
    [() => createFetchHandler(newServer(), { allowedOrigin: [] } as object), "allowedOrigin", "allowedOrigins"],
    [() => serveSocket(newServer(), { path: "never.sock", modes: 0o600 } as never), "modes", "mode"],
    [() => serveStdio(newServer(), { exits: false } as object), "exits", "exit"],
    [() => newServer({ scopedList: "filter" }), "scopedList", "scopedLists"],
    [() => newServer({ limits: { maxByte: 1 } }), "maxByte", "maxBytes"],
    [() => newServer().tool("x", { scope: ["admin"] } as object, text), "scope", "scopes"],
    [() => newServer().prompt("x", { scope: ["admin"] } as object, text), "scope", "scopes"],
    [() => newServer().resource("x://y", { name: "y", scope: ["admin"] } as never, text), "scope", "scopes"],
    [() => new Client({ ...IDENTITY, outputCheck: "always" } as never), "outputCheck", "outputChecks"],
  ];

  for (const [use, name, meant] of mistakes) {
    await expect((async () => use())()).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(`there is no option "${name}"; did you mean "${meant}"?`),
    });
  }
});

verifies("limits:options:unknown", "an unknown option is refused with the known names if none is near", async () => {
  await expect((async () => serveHttp(newServer(), { tls: true } as object))()).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining(
      'serveHttp: there is no option "tls"; expected some of path, legacy, authenticate',
    ),
  });
});

verifies("limits:options:kinds", "an option of the wrong kind is refused by host, server and client", async () => {
  const client = await Client.connect(newServer(), IDENTITY);
  const serve = (options: unknown) => serveHttp(newServer(), options as object);
  const mistakes: [use: () => unknown, complaint: string][] = [
    [() => serveHttp(McpServer as never), "serveHttp: expected an McpServer first, got the function McpServer"],
    [() => serve(3000), "serveHttp: expected an object with some of path"],
    [() => serve({ allowedHosts: "x.com" }), 'allowedHosts: expected "any" or a list'],
    [() => serve({ allowedHosts: ["https://x.com"] }), 'allowedHosts: expected "any" or a list'],
    [() => serve({ allowedOrigins: ["x.com"] }), 'allowedOrigins: expected "any" or a list'],
    [() => serve({ cors: true }), "cors: expected an object, got true"],
    [() => serve({ clientAddress: "x-real-ip" }), "clientAddress: expected a function"],
    [() => newServer({ extensions: ["com.example/shop"] }), "extensions: expected an extension, got the string"],
    [() => newServer({ onStart: 5 }), "onStart: expected a function, got 5"],
    [() => newServer({ rateLimits: 7 }), "rateLimits: expected false or an object"],
    [() => Client.connect({ uri: "http://localhost" } as never, IDENTITY), "connect: expected a URL"],
    [() => client.listen({ tool: true } as never), 'listen: there is no option "tool"; did you mean "tools"?'],
  ];

  for (const [use, complaint] of mistakes) {
    await expect((async () => use())()).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(complaint),
    });
  }
  await client.close();
});

verifies("limits:options:kinds", "a promise where a value decides fails the request, and is reported", async () => {
  const reports: Error[] = [];
  const server = newServer({ onError: (error: Error) => void reports.push(error) });
  server.tool("hidden", { listed: (async () => true) as never }, text);
  await using client = await Client.connect(server, IDENTITY);

  await expect(client.listTools()).rejects.toMatchObject({ code: -32603 });
  expect(String(reports[0]?.cause)).toContain("listed: expected true or false, got a promise");
});
