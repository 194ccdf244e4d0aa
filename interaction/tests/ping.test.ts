import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../src/verifies.js";

verifies("ping:client-to-server", "a server answers ping with an empty result", async ({ connect, wire }) => {
  const client = await connect(new McpServer({ name: "alive", version: "1.0.0" }));

  await client.ping();

  expect(wire.methods("client").at(-1)).toBe("ping");
  expect(wire.from("server").at(-1)).toEqual({ jsonrpc: "2.0", id: expect.anything(), result: {} });
});

verifies("ping:server-to-client", "a client answers ping with an empty result", async ({ connect, wire }) => {
  const server = new McpServer({ name: "watchful", version: "1.0.0" });
  server.handle("acme/check", async (_params, context) => ({ answer: await context.request("ping") }));
  const client = await connect(server);

  expect(await client.request("acme/check")).toEqual({ answer: {} });
  expect(wire.methods("server")).toEqual(["ping"]);
});

verifies("ping:before-initialize", "ping is answered when nothing else is yet", async ({ playClient }) => {
  const peer = await playClient(new McpServer({ name: "alive", version: "1.0.0" }));

  expect(await peer.request(1, "ping")).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  expect(await peer.request(2, "tools/list")).toMatchObject({ error: { code: -32602 } });
});

verifies(
  "ping:during-initialize",
  "a client whose initialize is still unanswered answers a ping",
  async ({ playServer, revision }) => {
    const { peer, connect } = playServer();
    const connecting = connect();
    const opening = await peer.receive();

    expect(await peer.request("alive?", "ping")).toEqual({ jsonrpc: "2.0", id: "alive?", result: {} });

    const serverInfo = { name: "careful", version: "1.0.0" };
    await peer.respond(opening, { protocolVersion: revision, capabilities: {}, serverInfo });
    expect((await connecting).revision).toBe(revision);
  },
);

verifies("ping:not-in-modern", "a modern ping is an unknown method", async ({ playClient, params }) => {
  const peer = await playClient(new McpServer({ name: "alive", version: "1.0.0" }));

  expect(await peer.request(1, "ping", params())).toMatchObject({ id: 1, error: { code: -32601 } });
});
