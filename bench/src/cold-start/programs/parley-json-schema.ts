/** The server of the workload without a schema library: Parley. */
import { serveStdio } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { INPUT_SCHEMA, type Order, OUTPUT_SCHEMA, quote } from "../json-schema-workload.js";

const server = new McpServer({ name: "bench", version: "1.0.0" });
const schemas = { input: INPUT_SCHEMA, output: OUTPUT_SCHEMA };
// Plain JSON Schema has no type to say; what arrives was held against it.
server.tool("quote", { description: "Price an order", ...schemas }, (order) => quote(order as unknown as Order));
await serveStdio(server);
