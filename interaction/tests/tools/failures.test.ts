import { Client } from "parley-mcp/client";
import { McpServer, ProtocolError, SdkError, ToolError } from "parley-mcp/server";
import { connectInProcess } from "parley-mcp/testing";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

verifies(
  "tools:call:is-error",
  "a failed tool is a result, and the call resolves with it",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "honest", version: "1.0.0" });
    const content = [{ type: "text" as const, text: "The flight is sold out." }];
    server.tool("book", {}, () => ({ content, isError: true }));
    const client = await connect(server);

    const result = await client.callTool("book");

    expect(result).toMatchObject({ content, isError: true });
    expect(wire.from("server").filter((message) => "error" in message)).toEqual([]);
  },
);

verifies("tools:call:tool-error", "a ToolError's message is what the caller reads", async ({ connect }) => {
  class SoldOut extends ToolError {}
  const reported: Error[] = [];
  const server = new McpServer({ name: "frank", version: "1.0.0", onError: (error) => void reported.push(error) });
  server.tool("book", {}, () => {
    throw new ToolError("The flight is sold out.");
  });
  server.tool("rebook", {}, async () => {
    throw new SoldOut("So is the next one.");
  });
  const client = await connect(server);

  const [book, rebook] = [await client.callTool("book"), await client.callTool("rebook")];

  expect(book).toMatchObject({ content: [{ type: "text", text: "The flight is sold out." }], isError: true });
  expect(rebook).toMatchObject({ content: [{ type: "text", text: "So is the next one." }], isError: true });
  expect(reported).toEqual([]);
});

verifies(
  "tools:call:handler-throws",
  "a crash says nothing to the caller and everything to onError",
  async ({ connect, wire }) => {
    const reported: Error[] = [];
    const secret = new Error("cannot open /var/ada/keys.json");
    const server = new McpServer({ name: "frail", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.tool("crash", {}, () => {
      throw secret;
    });
    server.tool("reject", {}, () => Promise.reject("keys.json again"));
    const client = await connect(server);

    const failures = [await client.callTool("crash"), await client.callTool("reject")];

    const text = "The tool failed. Its server has recorded the reason.";
    const opaque = { content: [{ type: "text", text }], isError: true };
    expect(failures).toMatchObject([opaque, opaque]);
    expect(JSON.stringify(wire.from("server"))).not.toContain("keys.json");
    expect(reported).toMatchObject([
      { name: "SdkError", code: "handler-failed", cause: secret },
      { name: "SdkError", code: "handler-failed", cause: "keys.json again" },
    ]);
  },
);

verifies(
  "tools:call:exposed-errors",
  "a server that shows its errors sends the message of any error, but neither texts nor what another server wrote",
  async ({ connect, wire }) => {
    const reported: Error[] = [];
    const upstreamServer = new McpServer({ name: "upstream", version: "1.0.0" });
    upstreamServer.tool("refuse", {}, () => {
      throw new ProtocolError(1, "/etc/upstream");
    });
    await using upstream = await Client.connect(upstreamServer, { name: "gateway", version: "1.0.0" });
    const onError = (error: Error) => void reported.push(error);
    const server = new McpServer({ name: "open", version: "1.0.0", exposeToolErrors: true, onError });
    server.tool("crash", {}, () => {
      throw new RangeError("The year is 1 to 9999");
    });
    server.tool("reject", {}, () => Promise.reject("/etc/text"));
    server.tool("forward", {}, () => upstream.callTool("refuse"));
    server.tool("misread", {}, () => {
      throw new SdkError("invalid-result", "tools/call was answered with /etc/upstream");
    });
    const client = await connect(server);

    const shown = await client.callTool("crash");
    const hidden: unknown[] = [];
    for (const name of ["reject", "forward", "misread"]) hidden.push(await client.callTool(name));

    expect(shown).toMatchObject({ content: [{ text: "The year is 1 to 9999" }], isError: true });
    expect(hidden).toMatchObject([{ isError: true }, { isError: true }, { isError: true }]);
    expect(JSON.stringify(wire.from("server"))).not.toContain("/etc");
    expect(reported).toMatchObject([
      { cause: { name: "RangeError" }, message: expect.stringContaining('Tool "crash" failed') },
      { cause: "/etc/text" },
      { cause: { code: 1 } },
      { cause: { code: "invalid-result" } },
    ]);
  },
);

verifies(
  "tools:call:middleware-sees-crash",
  "middleware gets the error itself, and what it throws instead is what the caller reads",
  async ({ connect }) => {
    const crash = new Error("keys.json");
    const reported: Error[] = [];
    const seen: unknown[] = [];
    const server = new McpServer({ name: "watched", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.use(async ({ method }, next) => {
      try {
        return await next();
      } catch (error) {
        if (method !== "tools/call") throw error;
        seen.push(error);
        throw new ToolError("Failed, reference 7");
      }
    });
    server.tool("crash", {}, () => {
      throw crash;
    });
    const soldOut = new ToolError("Sold out");
    server.tool("sold-out", {}, () => {
      throw soldOut;
    });
    server.tool("sold-out-later", {}, () => Promise.reject(soldOut));
    const client = await connect(server);

    for (const name of ["crash", "sold-out", "sold-out-later"]) {
      const result = await client.callTool(name);
      expect(result).toMatchObject({ content: [{ text: "Failed, reference 7" }], isError: true });
    }
    expect(seen).toEqual([crash, soldOut, soldOut]);
    expect(reported).toEqual([]);
  },
);

verifies(
  "tools:call:protocol-error",
  "a protocol error reaches the caller whole, a deliberate -32603 included, and is no crash",
  async ({ connect }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "precise", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.tool("quota", {}, () => {
      throw new ProtocolError(4290, "Quota used up", { data: { retryAfterMs: 5_000 } });
    });
    server.tool("broken", {}, () => {
      throw new ProtocolError(-32603, "The store is down", { data: ["store"] });
    });
    const client = await connect(server);

    await expect(client.callTool("quota")).rejects.toMatchObject({
      name: "ProtocolError",
      code: 4290,
      message: "Quota used up",
      data: { retryAfterMs: 5_000 },
    });
    await expect(client.callTool("broken")).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32603,
      message: "The store is down",
      data: ["store"],
    });
    expect(reported).toEqual([]);
  },
);

verifies(
  "tools:names:case-sensitive",
  "saw and Saw are two tools, each with its own handler, and a third spelling is neither",
  async ({ connect }) => {
    const server = new McpServer({ name: "small", version: "1.0.0" });
    server.tool("saw", {}, () => "the tool");
    server.tool("Saw", {}, () => "the brand");
    const client = await connect(server);

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["saw", "Saw"]);
    expect(await client.callTool("saw")).toMatchObject({ content: [{ text: "the tool" }] });
    expect(await client.callTool("Saw")).toMatchObject({ content: [{ text: "the brand" }] });
    await expect(client.callTool("SAW")).rejects.toMatchObject({ code: -32602 });
  },
);

verifies("tools:call:unknown-name", "an unknown tool is -32602, and the message names it", async ({ connect }) => {
  const server = new McpServer({ name: "small", version: "1.0.0" });
  server.tool("saw", {}, () => {
    throw new Error("another tool was called");
  });
  const client = await connect(server);

  await expect(client.callTool("Saw")).rejects.toMatchObject({
    name: "ProtocolError",
    code: -32602,
    message: expect.stringContaining("Saw"),
  });
});

verifies(
  "tools:call:prototype-name",
  "names that every object has are unknown tools, until tools are registered under them",
  async ({ connect }) => {
    const server = new McpServer({ name: "plain", version: "1.0.0", capabilities: { tools: {} } });
    const client = await connect(server);
    const names = ["__proto__", "constructor", "toString"];

    for (const name of names) {
      await expect(client.callTool(name)).rejects.toMatchObject({
        name: "ProtocolError",
        code: -32602,
        message: expect.stringContaining(name),
      });
    }
    for (const name of names) server.tool(name, {}, () => `I am ${name}`);

    for (const name of names) {
      expect(await client.callTool(name)).toMatchObject({ content: [{ type: "text", text: `I am ${name}` }] });
    }
  },
);

verifies(
  "tools:call:throw-handler-errors",
  "a tool, a prompt and a resource reject with what they threw; a ToolError is a result, and without the switch nothing shows",
  async () => {
    const failure = new TypeError("the handler's own mistake");
    const fail = () => {
      throw failure;
    };
    const server = new McpServer({ name: "failing", version: "1.0.0", onError: () => undefined });
    server.tool("crash", fail);
    server.tool("later", async () => fail());
    server.tool("told", () => {
      throw new ToolError("not today");
    });
    server.prompt("crash", fail);
    server.resource("notes://crash", { name: "crash" }, fail);
    await using strict = await connectInProcess(server, { throwHandlerErrors: true });
    await using plain = await connectInProcess(server);

    await expect(strict.callTool("crash")).rejects.toBe(failure);
    await expect(strict.callTool("later")).rejects.toBe(failure);
    await expect(strict.getPrompt("crash")).rejects.toBe(failure);
    await expect(strict.readResource("notes://crash")).rejects.toBe(failure);
    expect(await strict.callTool("told")).toMatchObject({ isError: true, content: [{ text: "not today" }] });
    await expect(strict.callTool("absent")).rejects.toMatchObject({ code: -32602 });
    expect(await plain.callTool("crash")).toMatchObject({ isError: true });
    await expect(connectInProcess(server, { throwHandlerErrors: true, over: "json-rpc" })).rejects.toMatchObject({
      code: "invalid-argument",
    });
  },
);
