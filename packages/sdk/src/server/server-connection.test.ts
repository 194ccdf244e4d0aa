import { expect, it, vi } from "vitest";
import { connectDirect } from "../dispatch/direct-dispatcher.js";
import type { InboundRequest, Receiver } from "../dispatch/dispatcher.js";
import { McpServer } from "./mcp-server.js";
import type { ServerContext } from "./server-context.js";

const server = new McpServer({ name: "s", version: "1.0.0" });
const nobody: Receiver = { request: () => ({}), notification: () => undefined };

it("has no handshake to hand on before there was one", () => {
  connectDirect(
    () => nobody,
    (dispatcher) => {
      const connection = server.accept(dispatcher);
      expect(connection.handshake).toBeUndefined();
      return connection;
    },
  );
});

it("lets go of a stream only while its request is being served, and where there is one", async () => {
  const kept: ServerContext[] = [];
  const closeStream = vi.fn();
  server.handle("acme/keep", (_params, context) => {
    kept.push(context);
    context.closeStream();
    return {};
  });
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const inbound = {
    id: 1,
    method: "acme/keep",
    params: { _meta: envelope },
    isSettled: false,
    caller: { closeStream },
  };
  let connection: Receiver = nobody;
  connectDirect(
    () => nobody,
    (dispatcher) => {
      connection = server.accept(dispatcher);
      return connection;
    },
  );
  await connection.request(inbound as unknown as InboundRequest);
  expect(closeStream).toHaveBeenCalledOnce();
  inbound.isSettled = true;
  kept[0]?.closeStream();
  expect(closeStream).toHaveBeenCalledOnce();
  await connection.request({ ...inbound, isSettled: false, caller: undefined } as unknown as InboundRequest);
});
