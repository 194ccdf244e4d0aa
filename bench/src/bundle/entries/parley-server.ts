/** What a server on a web-standard runtime is made of: Parley. */
export { McpServer } from "parley-mcp/server";
export { createFetchHandler } from "parley-mcp/web";
