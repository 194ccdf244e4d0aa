/** `parley-mcp`: a server, a client and their errors, for a first try. Everything else is in the entries for each. */
export { Client } from "./client/client.js";
export { ProtocolError } from "./errors/protocol-error.js";
export { SdkError } from "./errors/sdk-error.js";
export { McpServer } from "./server/mcp-server.js";
export { ToolError } from "./server/tool-error.js";
