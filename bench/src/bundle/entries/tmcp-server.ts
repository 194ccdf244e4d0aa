/** What a server on a web-standard runtime is made of: tmcp. */
export { HttpTransport } from "@tmcp/transport-http";
export { McpServer } from "tmcp";
