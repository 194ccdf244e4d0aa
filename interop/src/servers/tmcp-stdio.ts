/** The tmcp server over standard input and output, in either era. */
import { StdioTransport } from "@tmcp/transport-stdio";
import { tmcpServer } from "./tmcp-definition.js";

new StdioTransport(tmcpServer()).listen();
