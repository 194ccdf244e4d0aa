import { McpServer, ProtocolError, ToolError } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../src/verifies.js";

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

    const failures = [
      await client.callTool("crash").catch((error: unknown) => error),
      await client.callTool("reject").catch((error: unknown) => error),
    ];

    const opaque = { name: "ProtocolError", code: -32603, message: "Internal error", data: undefined };
    expect(failures).toMatchObject([opaque, opaque]);
    expect(JSON.stringify(wire.from("server"))).not.toContain("keys.json");
    expect(reported).toMatchObject([
      { name: "SdkError", code: "handler-failed", cause: secret },
      { name: "SdkError", code: "handler-failed", cause: "keys.json again" },
    ]);
  },
);

verifies(
  "tools:call:protocol-error",
  "a protocol error reaches the caller whole, a deliberate -32603 included, and is no crash",
  async ({ connect }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "precise", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.tool("quota", {}, () => {
      throw new ProtocolError(-32050, "Quota used up", { data: { retryAfterMs: 5_000 } });
    });
    server.tool("broken", {}, () => {
      throw new ProtocolError(-32603, "The store is down", { data: ["store"] });
    });
    const client = await connect(server);

    await expect(client.callTool("quota")).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32050,
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
