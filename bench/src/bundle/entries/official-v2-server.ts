/** What a server on a web-standard runtime is made of: the official SDK, second generation. */
export { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
