/** The fastmcp server over HTTP on the port in the environment; `stateless` for one without sessions. */
import { fastMcpServer } from "./fastmcp-definition.js";

const stateless = process.argv[2] === "stateless";
const httpStream = { port: Number(process.env.PORT), host: "localhost", stateless };
await fastMcpServer().start({ transportType: "httpStream", httpStream });
