import { expect } from "vitest";
import { connectTo, RawHttpServer } from "../../src/http/raw-http-server.js";
import { verifies } from "../../src/verifies.js";

const INITIALIZED = {
  protocolVersion: "2024-11-05",
  capabilities: { tools: {} },
  serverInfo: { name: "old", version: "1.0.0" },
};

verifies(
  "client-transport:sse:fallback",
  "a server that refuses the probe and the handshake as an HTTP+SSE server does is spoken to over HTTP+SSE",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const connecting = connectTo(server, {});
    (await server.next()).respond(405);
    (await server.next()).respond(405);
    const stream = await server.next();
    stream.stream();
    stream.write("event: endpoint\ndata: /messages?session=7\n\n");
    const initialize = await server.next();
    initialize.accept();
    stream.event({ jsonrpc: "2.0", id: initialize.message?.id, result: INITIALIZED });
    (await server.next()).accept();
    const { client, errors } = await connecting;
    const pinged = client.ping();
    const ping = await server.next();
    ping.accept();
    stream.event({ jsonrpc: "2.0", id: ping.message?.id, result: {} });
    await pinged;

    expect(stream.header("accept")).toBe("text/event-stream");
    expect(ping.path).toBe("/messages?session=7");
    expect(client.negotiated.revision).toBe("2024-11-05");
    expect(server.log).toEqual([
      "POST server/discover",
      "POST initialize",
      "GET",
      "POST initialize",
      "POST notifications/initialized",
      "POST ping",
    ]);
    await client.close();
    await stream.closed;
    expect(errors).toEqual([]);
  },
);

verifies(
  "client-transport:sse:no-fallback",
  "neither a modern error nor a JSON-RPC error to the handshake is taken for an HTTP+SSE server",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const modern = connectTo(server, {});
    const probe = await server.next();
    const unsupported = { code: -32022, message: "no", data: { supported: ["2027-01-01"], requested: "2026-07-28" } };
    probe.json({ jsonrpc: "2.0", id: probe.message?.id, error: unsupported }, 400);
    await expect(modern).rejects.toMatchObject({ code: "no-shared-revision" });
    const legacy = connectTo(server, { client: { revision: "2025-11-25" } });
    (await server.next()).json({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "no" } }, 400);

    await expect(legacy).rejects.toMatchObject({ code: -32600 });
    expect(server.log).toEqual(["POST server/discover", "POST initialize"]);
  },
);

verifies(
  "client-transport:sse:endpoint-origin",
  "an endpoint event that points to another origin is refused, and nothing is sent there",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    await using other = await RawHttpServer.start();
    const connecting = connectTo(server, { client: { revision: "2024-11-05" } });
    (await server.next()).respond(404);
    const stream = await server.next();
    stream.stream();
    stream.write(`event: endpoint\ndata: ${other.url}\n\n`);

    await expect(connecting).rejects.toMatchObject({ code: "http-error", cause: { code: "invalid-message" } });
    await stream.closed;
    expect(other.calls).toEqual([]);
  },
);

verifies(
  "client-transport:sse:401-unauthorized-code",
  "an HTTP+SSE server that wants authorization is reported as such, with its challenge",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const connecting = connectTo(server, { client: { revision: "2024-11-05" } });
    (await server.next()).respond(405);
    (await server.next()).respond(401, { "www-authenticate": "Bearer" });

    await expect(connecting).rejects.toMatchObject({ code: "http-error", status: 401, wwwAuthenticate: "Bearer" });
  },
);

verifies("client-transport:sse:lost-stream", "pending calls reject when the event stream ends", async () => {
  await using server = await RawHttpServer.start(["GET"]);
  const connecting = connectTo(server, { client: { revision: "2024-11-05", reconnect: false } });
  (await server.next()).respond(405);
  const stream = await server.next();
  stream.stream();
  stream.write("event: endpoint\ndata: /messages\n\n");
  const initialize = await server.next();
  initialize.accept();
  stream.event({ jsonrpc: "2.0", id: initialize.message?.id, result: INITIALIZED });
  (await server.next()).accept();
  const { client, errors } = await connecting;
  const pinged = client.ping();
  (await server.next()).accept();
  stream.end();

  await expect(pinged).rejects.toMatchObject({ code: "connection-closed" });
  expect(errors).toMatchObject([{ code: "connection-closed", cause: { code: "stream-ended" } }]);
  await client.close();
});
