import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../src/verifies.js";

verifies(
  "lifecycle:initialize:basic",
  "initialize carries revision, capabilities and identity, and the client learns the server's",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "greeter", version: "1.2.3" });
    server.tool("greet", {}, () => "hello");
    const client = await connect(server, {
      name: "asker",
      version: "4.5.6",
      capabilities: { experimental: { x: {} } },
    });

    expect(wire.from("client")[0]).toMatchObject({
      method: "initialize",
      params: {
        protocolVersion: revision,
        capabilities: { experimental: { x: {} } },
        clientInfo: { name: "asker", version: "4.5.6" },
      },
    });
    expect(client.revision).toBe(revision);
    expect(client.serverInfo).toEqual({ name: "greeter", version: "1.2.3" });
    expect(client.serverCapabilities).toEqual({ tools: {} });
  },
);

verifies(
  "lifecycle:initialize:once",
  "a second initialize is refused and the session goes on at its revision",
  async ({ openClient, revision }) => {
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    server.tool("revision", {}, (_args, context) => context.revision);
    const peer = await openClient(server);

    const refusal = await peer.request(2, "initialize", {
      protocolVersion: "2024-11-05",
      capabilities: {},
      clientInfo: { name: "other", version: "0.0.0" },
    });
    const answer = await peer.request(3, "tools/call", { name: "revision" });

    expect(refusal).toMatchObject({ id: 2, error: { code: -32600, message: "Session already initialized" } });
    expect(answer).toMatchObject({ id: 3, result: { content: [{ type: "text", text: revision }] } });
  },
);
