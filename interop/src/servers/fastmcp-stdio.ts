/** The fastmcp server over standard input and output. */
import { fastMcpServer } from "./fastmcp-definition.js";

await fastMcpServer().start({ transportType: "stdio" });
