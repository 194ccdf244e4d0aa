/** What a server on a web-standard runtime is made of: mcp-lite. */
export { McpServer, StreamableHttpTransport } from "mcp-lite";
