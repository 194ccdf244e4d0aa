/** What a client is made of: the official SDK, second generation. */
export { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
