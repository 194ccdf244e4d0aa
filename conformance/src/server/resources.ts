/** Resources: text, bytes, one to subscribe to, and a template. */
import { Buffer } from "node:buffer";
import type { McpServer } from "parley-mcp/server";
import { PNG } from "./sample-content.js";

export function addResources(server: McpServer): void {
  server.resource("test://static-text", { name: "static-text", mimeType: "text/plain" }, () => "Static text.");

  server.resource("test://static-binary", { name: "static-binary", mimeType: "image/png" }, () =>
    Buffer.from(PNG, "base64"),
  );

  server.resource(
    "test://watched-resource",
    { name: "watched-resource", mimeType: "text/plain" },
    () => "Watched text.",
  );

  server.resourceTemplate(
    "test://template/{id}/data",
    { name: "data-by-id", mimeType: "application/json" },
    ({ variables: { id } }) => JSON.stringify({ id, data: `The data of ${id}` }),
  );
}
