import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

verifies(
  "tools:register:duplicate-name",
  "a second tool under a name is refused, and calls still reach the first",
  async ({ connect }) => {
    const server = new McpServer({ name: "unique", version: "1.0.0" });
    server.tool("clock", { description: "the first" }, () => "tick");
    const registerAgain = () =>
      server.tool("clock", { description: "the second" }, () => {
        throw new Error("the refused tool was called");
      });

    expect(registerAgain).toThrow(
      expect.objectContaining({ code: "duplicate-name", message: expect.stringContaining("clock") }),
    );
    const client = await connect(server);

    const { tools } = await client.listTools();
    const { content } = await client.callTool("clock");

    expect(tools).toMatchObject([{ name: "clock", description: "the first" }]);
    expect(content).toEqual([{ type: "text", text: "tick" }]);
  },
);

verifies("tools:register:name-check", "names outside the specification's advice are refused", () => {
  const server = new McpServer({ name: "strict", version: "1.0.0" });
  const register = (name: string) => server.tool(name, {}, () => "done");

  for (const name of ["", "x".repeat(129), "two words", "a,b", "a/b", "a:b", "naïve", "line\n", "\u0000"]) {
    expect(() => register(name)).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(`"${name}"`) }),
    );
  }
  for (const name of ["x", "x".repeat(128), "getUser", "DATA_EXPORT_v2", "admin.tools-list", "0"]) register(name);
});

verifies(
  "tools:register:any-name",
  "a tool is listed and called under any name if the check of names is off",
  async ({ connect }) => {
    const server = new McpServer({ name: "gateway", version: "1.0.0", toolNames: "any" });
    const names = ["weather/today, please", "天気", "x".repeat(129), ""];
    for (const [index, name] of names.entries()) server.tool(name, {}, () => `tool ${index}`);
    const client = await connect(server);

    const { tools } = await client.listTools();
    const texts = await Promise.all(names.map(async (name) => (await client.callTool(name)).content));

    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(texts).toEqual(names.map((_name, index) => [{ type: "text", text: `tool ${index}` }]));
  },
);

verifies(
  "tools:register:after-connect",
  "a connected client lists and calls a tool that came after it",
  async ({ connect }) => {
    const server = new McpServer({ name: "growing", version: "1.0.0", capabilities: { tools: {} } });
    const client = await connect(server);
    const { tools: before } = await client.listTools();

    server.tool("late", {}, () => "here");
    const { tools: after } = await client.listTools();
    const { content } = await client.callTool("late");

    expect(before).toEqual([]);
    expect(after.map(({ name }) => name)).toEqual(["late"]);
    expect(content).toEqual([{ type: "text", text: "here" }]);
  },
);

verifies(
  "tools:register:removal",
  "a removed tool is gone from the list and for new calls, while the call under way is answered",
  async ({ connect }) => {
    const [entered, release] = [deferred(), deferred()];
    const server = new McpServer({ name: "shrinking", version: "1.0.0" });
    const brief = server.tool("brief", {}, async () => {
      entered.resolve();
      await release.promise;
      return "finished";
    });
    server.tool("lasting", {}, () => "still here");
    const client = await connect(server);
    const { tools: before } = await client.listTools();
    const underWay = client.callTool("brief");
    await entered.promise;

    brief.remove();
    const { tools: after } = await client.listTools();
    const refused = await client.callTool("brief").catch((error: unknown) => error);
    release.resolve();

    expect(before.map(({ name }) => name)).toEqual(["brief", "lasting"]);
    expect(after.map(({ name }) => name)).toEqual(["lasting"]);
    expect(refused).toMatchObject({ name: "ProtocolError", code: -32602, message: expect.stringContaining("brief") });
    expect((await underWay).content).toEqual([{ type: "text", text: "finished" }]);
  },
);

verifies(
  "tools:register:arguments",
  "wrong arguments of registrations are refused with advice, as plain JavaScript may pass them",
  () => {
    // What types would refuse.
    const server = new McpServer({ name: "script", version: "1.0.0" }) as unknown as Record<
      "tool" | "prompt" | "resource" | "resourceTemplate",
      (...args: unknown[]) => unknown
    >;
    const run = () => "text";
    const shape = { a: z.number() };
    // As Zod had them before it implemented Standard Schema.
    class ZodNumber {
      readonly _def = {};
    }
    const wrong: [call: () => unknown, message: string][] = [
      [
        () => new McpServer({ name: "x" } as never),
        "options.version: expected string, got nothing; write new McpServer({",
      ],
      [() => new McpServer(undefined as never), "options: expected object, got nothing; write new McpServer({"],
      [
        () => new Client({ version: "1" } as never),
        "options.name: expected string, got nothing; write Client.connect(target, {",
      ],
      [
        () => server.tool("add", "Adds", shape, run),
        'tool "add": expected a configuration object, got string; write tool(',
      ],
      [() => server.tool("add"), 'tool "add": expected a configuration object, got nothing; write tool('],
      [() => server.tool("add", [shape], run), 'tool "add": expected a configuration object, got array; write tool('],
      [() => server.tool("add", {}), 'tool "add": expected a handler, got nothing; write tool('],
      [() => server.tool("add", { inputSchema: shape }, run), '"inputSchema" is called "input" here'],
      [
        () => server.tool("add", { input: shape }, run),
        "got an object of schemas; make it one, as z.object({ … }) does",
      ],
      [() => server.tool("add", { output: shape }, run), "got an object of schemas"],
      [() => server.tool("add", { input: { a: new ZodNumber() } }, run), "got an object of schemas"],
      [() => server.tool("add", { input: new ZodNumber() }, run), 'tool "add": input: This Zod schema'],
      [() => server.tool("add", { output: new ZodNumber() }, run), "use Zod 4.2 or later, or pass JSON Schema"],
      [() => server.tool("add", { meta: { a: run } }, run), 'tool "add": the definition cannot be copied: '],
      [
        () => server.tool("add", { meta: { a: new Uint8Array([1]) } }, run),
        'tool "add": _meta.a: expected JSON, got Uint8Array',
      ],
      [
        () => server.tool("add", shape, run),
        'tool "add": config.a is a schema: put it under input: z.object({ … }); write tool(',
      ],
      [() => server.tool("add", { a: new ZodNumber() }, run), "put it under input: z.object({ … })"],
      [() => server.tool("add", z.object(shape), run), 'tool "add": config is a schema: put it under input'],
      [() => server.prompt("p", shape, run), 'prompt "p": config.a is a schema: put it under input'],
      [() => server.tool(undefined, {}, run), "a name has 1 to 128 letters"],
      [() => server.tool("add", { title: 7 }, run), 'tool "add": config.title: expected string, got number'],
      [
        () => server.prompt("p", "Greets", run),
        'prompt "p": expected a configuration object, got string; write prompt(',
      ],
      [() => server.prompt("p", { argsSchema: shape }, run), '"argsSchema" is called "input" here'],
      [() => server.prompt("p", { input: shape }, run), "got an object of schemas"],
      [() => server.prompt(undefined, {}, run), "config.name: expected string, got nothing"],
      [() => server.resource("a", "a://b", run), 'resource "a": expected an absolute URI'],
      [
        () => server.resource("a://{b}", { name: "b" }, run),
        'resource "a://{b}": for a URI with variables use resourceTemplate(',
      ],
      [() => server.resource("a://b c", { name: "b" }, run), "without spaces and backslashes"],
      [() => server.resource("a:\\b", { name: "b" }, run), "without spaces and backslashes"],
      [() => server.resource(" a://b", { name: "b" }, run), "without spaces and backslashes"],
      [() => server.resource("a://b", run), "expected a configuration object, got function; write resource("],
      [() => server.resource("a://b", {}, run), 'resource "a://b": config.name: expected string, got nothing'],
      [() => server.resource("a://b", { name: "b", mimeType: "text" }, run), "config.mimeType: expected a MIME type"],
      [() => server.resourceTemplate("a://{b}", {}, run), "config.name: expected string, got nothing"],
      [
        () => server.resourceTemplate("a://{b}", { name: "b" }),
        "expected a handler, got nothing; write resourceTemplate(",
      ],
      [() => server.resourceTemplate("a://{b}", { name: "b", list: [] }, run), "list: expected a function"],
    ];
    for (const [call, message] of wrong) {
      expect(call).toThrow(
        expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(message) }),
      );
    }
  },
);

verifies(
  "tools:register:handler-alone",
  "a name and a handler are enough, and neither takes arguments",
  async ({ connect }) => {
    const server = new McpServer({ name: "terse", version: "1.0.0" });
    server.tool("ping", () => "pong");
    server.prompt("greet", (_args, context) => `Greet in ${context.method}.`);
    const client = await connect(server);

    const { tools } = await client.listTools();
    const { prompts } = await client.listPrompts();

    expect(tools).toEqual([{ name: "ping", inputSchema: { type: "object", additionalProperties: false } }]);
    expect(prompts).toEqual([{ name: "greet" }]);
    expect((await client.callTool("ping")).content).toEqual([{ type: "text", text: "pong" }]);
    const { messages } = await client.getPrompt("greet");
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Greet in prompts/get." } }]);
  },
);
