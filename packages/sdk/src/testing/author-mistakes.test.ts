/** What a server author gets wrong is refused at once where it can be seen, and is an opaque failure with a report where not. */
import { describe, expect, it } from "vitest";
import { ErrorCode } from "../protocol/error-codes.js";
import { McpServer } from "../server/mcp-server.js";
import type { McpServerOptions } from "../server/server-options.js";
import { connectInProcess } from "./connect-in-process.js";

const identity = { name: "server", version: "1.0.0" };
const refused = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe("a definition that cannot be right", () => {
  it.each<[string, Partial<McpServerOptions>, RegExp]>([
    ["no revisions", { revisions: [] }, /revisions: expected at least one/],
    ["an empty page", { pageSize: 0 }, /pageSize: expected a whole number from 1, got 0/],
    ["a page and a half", { pageSize: 1.5 }, /pageSize/],
    ["a ttl below zero", { cache: { ttlMs: -1 } }, /server: cache.ttlMs: expected a whole number from 0, got -1/],
  ])("of a server with %s is refused", (_case, options, message) => {
    expect(() => new McpServer({ ...identity, ...options })).toThrow(refused("invalid-argument", message));
  });

  it("of a registration is refused", () => {
    const server = new McpServer(identity);
    const read = () => "text";
    expect(() => server.resource("no uri", { name: "x" }, read)).toThrow(refused("invalid-argument", /absolute URI/));
    expect(() => server.resource("x://y", { name: "x", cache: { ttlMs: 0.5 } }, read)).toThrow(
      refused("invalid-argument", /resource "x:\/\/y": cache.ttlMs/),
    );
    const complete = { nobody: () => [] };
    expect(() => server.resourceTemplate("x://{a}", { name: "x", complete }, read)).toThrow(
      refused("invalid-argument", /complete.nobody names no variable of it: a$/),
    );
    expect(() => server.resourceTemplate("x://all", { name: "x", complete }, read)).toThrow(
      refused("invalid-argument", /complete.nobody names no variable of it: none$/),
    );
    expect(() => server.prompt("p", { complete }, read)).toThrow(
      refused("invalid-argument", /complete.nobody names no argument of it: none$/),
    );
    const input = { type: "object", properties: { day: { type: "string" } } } as const;
    expect(() => server.prompt("p", { input, complete }, read)).toThrow(
      refused("invalid-argument", /complete.nobody names no argument of it: day$/),
    );
    // @ts-expect-error: schemas without a handler
    expect(() => server.handle("x/y", { params: { type: "object" } })).toThrow(
      refused("invalid-argument", /expected a handler after the schemas/),
    );
  });

  it("leaves nothing behind: no listing and no capability", async () => {
    const server = new McpServer(identity);
    expect(() => server.tool("bad name", {}, () => "never")).toThrow();
    await using client = await connectInProcess(server);
    expect(client.serverCapabilities).toEqual({});
  });
});

describe("a handler that returns what it must not", () => {
  async function reportsOf(define: (server: McpServer) => void, call: (client: Connected) => Promise<unknown>) {
    const reports: Error[] = [];
    const server = new McpServer({ ...identity, onError: (error) => reports.push(error) });
    define(server);
    await using client = await connectInProcess(server);
    const outcome = await call(client).catch((error: unknown) => error);
    const opaque = { code: ErrorCode.internalError, message: "Internal error" };
    expect(outcome).toMatchObject(outcome instanceof Error ? opaque : { isError: true });
    return reports.map((report) => String(report.cause));
  }
  type Connected = Awaited<ReturnType<typeof connectInProcess>>;

  it("from a tool: a value without a schema", async () => {
    // @ts-expect-error: a number is no tool result
    const define = (server: McpServer) => server.tool("t", {}, () => 7);
    expect(await reportsOf(define, (client) => client.callTool("t"))).toEqual([
      expect.stringContaining('tool "t" returned no valid result: expected a string, content blocks or a result'),
    ]);
  });

  it("from a tool: an object that is no result", async () => {
    // @ts-expect-error: not a tool result
    const define = (server: McpServer) => server.tool("t", {}, () => ({ anything: 1 }));
    expect(await reportsOf(define, (client) => client.callTool("t"))).toHaveLength(1);
  });

  it("from a tool: a malformed block", async () => {
    // @ts-expect-error: text without text
    const define = (server: McpServer) => server.tool("t", {}, () => [{ type: "text" }]);
    expect(await reportsOf(define, (client) => client.callTool("t"))).toEqual([
      expect.stringContaining("result.content[0].text: expected string"),
    ]);
  });

  it("from a resource: neither text nor bytes nor contents", async () => {
    // @ts-expect-error: a number is no contents
    const define = (server: McpServer) => server.resource("x://y", { name: "y" }, () => 7);
    expect(await reportsOf(define, (client) => client.readResource("x://y"))).toEqual([
      expect.stringContaining('resource "x://y" returned number'),
    ]);
  });

  it("from a resource: contents without text or blob", async () => {
    // @ts-expect-error: contents of nothing
    const define = (server: McpServer) => server.resource("x://y", { name: "y" }, () => ({ mimeType: "text/plain" }));
    expect(await reportsOf(define, (client) => client.readResource("x://y"))).toEqual([
      expect.stringContaining('resource "x://y" returned no valid result: result.contents[0]'),
    ]);
  });

  it("from a prompt: a message without content", async () => {
    // @ts-expect-error: no content
    const define = (server: McpServer) => server.prompt("p", {}, () => [{ role: "user" }]);
    expect(await reportsOf(define, (client) => client.getPrompt("p"))).toEqual([
      expect.stringContaining('prompt "p" returned no valid result: result.messages[0].content'),
    ]);
  });

  it("from a prompt: messages that are no list", async () => {
    // @ts-expect-error: a text is no list of messages
    const define = (server: McpServer) => server.prompt("p", {}, () => ({ messages: "text" }));
    expect(await reportsOf(define, (client) => client.getPrompt("p"))).toEqual([
      expect.stringContaining('prompt "p" returned no valid result: result.messages: expected array, got string'),
    ]);
  });

  it("from a prompt: a message that is no object", async () => {
    // @ts-expect-error: a text is no message
    const define = (server: McpServer) => server.prompt("p", {}, () => ({ messages: ["text"] }));
    expect(await reportsOf(define, (client) => client.getPrompt("p"))).toEqual([
      expect.stringContaining('prompt "p" returned no valid result: result.messages[0]: expected object'),
    ]);
  });

  it("from a completer: no strings", async () => {
    const define = (server: McpServer) =>
      // @ts-expect-error: numbers are no suggestions
      server.resourceTemplate("x://{a}", { name: "x", complete: { a: () => [1, 2] } }, () => "");
    const complete = (client: Connected) =>
      client.complete({ ref: { type: "ref/resource", uri: "x://{a}" }, argument: { name: "a", value: "" } });
    expect(await reportsOf(define, complete)).toEqual([expect.stringContaining("completion.values[0]")]);
  });

  it("from a handler of the specification's method", async () => {
    const define = (server: McpServer) => server.handle("tools/list", () => ({ tools: "none" }));
    expect(await reportsOf(define, (client) => client.listTools())).toEqual([
      expect.stringContaining("the handler of tools/list returned: result.tools: expected array"),
    ]);
  });

  it("from a handler of its own method", async () => {
    const define = (server: McpServer) => server.handle("x/y", () => "text");
    expect(await reportsOf(define, (client) => client.request("x/y"))).toEqual([
      expect.stringContaining("x/y was answered with no object"),
    ]);
  });

  it("from a handler of its own method: something that takes rounds", async () => {
    for (const ask of ["once", "elicit"] as const) {
      const define = (server: McpServer) =>
        server.handle("x/y", (_params, context) =>
          ask === "once"
            ? context.once("key", () => ({}))
            : context.elicit({ message: "?", url: "https://example.com" }),
        );
      expect(await reportsOf(define, (client) => client.request("x/y"))).toEqual([
        expect.stringContaining("x/y cannot ask its client"),
      ]);
    }
  });

  it("from a context: progress that is no number", async () => {
    const define = (server: McpServer) =>
      server.tool("t", {}, async (_args, context) => {
        await context.progress(Number.NaN);
      });
    expect(await reportsOf(define, (client) => client.callTool("t"))).toEqual([
      expect.stringContaining("progress: expected a finite number, got NaN; write progress(1, 2)"),
    ]);
    const defineObject = (server: McpServer) =>
      server.tool("t", {}, async (_args, context) => {
        // @ts-expect-error: the params of the notification
        await context.progress({ progress: 1 });
      });
    expect(await reportsOf(defineObject, (client) => client.callTool("t"))).toEqual([
      expect.stringContaining("progress: expected a finite number, got object; write progress(1, 2)"),
    ]);
  });

  it("from a context: a question that is neither a form nor a page", async () => {
    const wrong: unknown[] = ["Deploy?", undefined, { message: "?" }, { message: "?", requestedSchema: {} }];
    for (const question of wrong) {
      const define = (server: McpServer) =>
        server.tool("t", {}, async (_args, context) => {
          await context.elicit(question as { message: string; url: string });
        });
      expect(await reportsOf(define, (client) => client.callTool("t"))).toEqual([
        expect.stringContaining("write elicit({ message, schema }) or elicit({ message, url })"),
      ]);
    }
  });

  it("from a context: a feature that clients do not have", async () => {
    const define = (server: McpServer) =>
      // @ts-expect-error: no feature
      server.tool("t", {}, (_args, context) => String(context.canAsk("elicit")));
    expect(await reportsOf(define, (client) => client.callTool("t"))).toEqual([
      expect.stringContaining("canAsk: expected one of elicitation, elicitation.form, elicitation.url, sampling"),
    ]);
  });
});

describe("what can be declared before it is registered", () => {
  it("is served as empty lists", async () => {
    const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
    const server = new McpServer({ ...identity, capabilities });
    await using client = await connectInProcess(server);
    expect(Object.keys(client.serverCapabilities ?? {}).sort()).toEqual(Object.keys(capabilities).sort());
    expect(await client.listTools()).toMatchObject({ tools: [] });
    expect(await client.listResources()).toMatchObject({ resources: [] });
    expect(await client.listPrompts()).toMatchObject({ prompts: [] });
    await expect(
      client.complete({ ref: { type: "ref/prompt", name: "x" }, argument: { name: "a", value: "" } }),
    ).rejects.toMatchObject({
      code: ErrorCode.invalidParams,
    });
  });
});
