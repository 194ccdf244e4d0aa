/** What a client is made of: Parley. */
export { Client } from "parley-mcp/client";
