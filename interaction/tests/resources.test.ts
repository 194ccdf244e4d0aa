import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../src/verifies.js";

verifies("resources:read:blob", "bytes arrive as base64 with URI and MIME type", async ({ connect }) => {
  const server = new McpServer({ name: "pixels", version: "1.0.0" });
  server.resource("pixels://one", { name: "one", mimeType: "image/png" }, () => new Uint8Array([0, 127, 255]));
  const client = await connect(server);

  const { contents } = await client.readResource("pixels://one");

  expect(contents).toEqual([{ uri: "pixels://one", mimeType: "image/png", blob: "AH//" }]);
});

verifies("resources:read:unknown-uri", "an unknown URI is -32602 and named in the data", async ({ connect }) => {
  const server = new McpServer({ name: "empty", version: "1.0.0", capabilities: { resources: {} } });
  const client = await connect(server);

  await expect(client.readResource("nowhere://x")).rejects.toMatchObject({
    name: "ProtocolError",
    code: -32602,
    data: { uri: "nowhere://x" },
  });
});
