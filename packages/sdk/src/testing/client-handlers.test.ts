import { expect, it } from "vitest";
import { Client } from "../client/client.js";
import { McpServer } from "../server/mcp-server.js";

it("answers a server's question with the handler that was set by the name of its method", async () => {
  const server = new McpServer({ name: "host", version: "1.0.0" });
  server.handle("acme/look", (_params, context) => context.request("roots/list"));
  const options = { name: "looked-at", version: "1.0.0", capabilities: { roots: {} } };
  const client = await Client.connect(server, { ...options, revisions: ["2025-11-25"] });
  client.handle("roots/list", () => ({ roots: [{ uri: "file:///own" }] }));

  expect(await client.request("acme/look")).toMatchObject({ roots: [{ uri: "file:///own" }] });
  await client.close();
});
