import { expect, it } from "vitest";
import { McpServer } from "../mcp-server.js";
import type { ServerDefinition } from "../server-connection.js";
import { DetachedConnection } from "./detached-connection.js";

it("sends nothing, and has no client to ask", async () => {
  // The connection reads no member that is not an option of the server.
  const definition = new McpServer({ name: "studio", version: "1.0.0" }) as unknown as ServerDefinition;
  const connection = new DetachedConnection(definition);

  expect(await connection.notify()).toBeUndefined();
  await expect(connection.requestClient()).rejects.toMatchObject({ code: "connection-closed" });
  connection.subscribe();
  connection.unsubscribe();
  expect(connection.watch.uris).toEqual([]);
});
