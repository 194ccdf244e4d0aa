/** The tmcp server over HTTP, in either era, on the port in the environment. */
import { HttpTransport } from "@tmcp/transport-http";
import { listenWithFetch } from "./http-listener.js";
import { tmcpServer } from "./tmcp-definition.js";

const transport = new HttpTransport(tmcpServer(), { path: "/mcp" });
await listenWithFetch((request) => transport.respond(request), Number(process.env.PORT));
