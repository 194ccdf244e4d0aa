import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

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

verifies(
  "ping:interval",
  "an answered ping is followed by the next, and an unanswered one is reported and ends the connection",
  async ({ openServer }) => {
    const errors: Error[] = [];
    const closed = deferred<void>();
    const { peer, client } = await openServer(undefined, {
      pingIntervalMs: 50,
      onError: (error) => void errors.push(error),
      onClose: () => closed.resolve(),
    });
    const first = await peer.receive();
    expect(first.method).toBe("ping");
    await peer.respond(first, {});
    expect((await peer.receive()).method).toBe("ping");

    await closed.promise;
    const message = expect.stringContaining("pingIntervalMs");
    expect(errors).toMatchObject([{ code: "connection-closed", message, cause: { code: "request-timeout" } }]);
    await expect(client.listTools()).rejects.toMatchObject({ code: "connection-closed" });
  },
);

verifies(
  "ping:interval:any-answer",
  "a server that does not know ping is pinged again, and its connection stays",
  async ({ openServer }) => {
    const { peer } = await openServer(undefined, { pingIntervalMs: 50 });
    const { id } = await peer.receive();
    await peer.send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });

    const next = await peer.receive();
    expect(next.method).toBe("ping");
    await peer.respond(next, {});
  },
);
