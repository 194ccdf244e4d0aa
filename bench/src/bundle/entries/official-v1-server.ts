/** What a server on a web-standard runtime is made of: the official SDK, first generation. */
export { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
export { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
