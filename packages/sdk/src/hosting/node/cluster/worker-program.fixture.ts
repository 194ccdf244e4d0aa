/** A worker for the tests of `startWorkers`. */
import { McpServer } from "../../../server/mcp-server.js";
import { serveHttp } from "../serve-http.js";
import { clusterBackend } from "./cluster-backend.js";

if (process.env.WORKER_FAILS) process.exit(1);
if (process.env.WORKER_STAYS) process.on("SIGTERM", () => undefined);
const shared = await clusterBackend();
const server = new McpServer({ name: "studio", version: "1.0.0", ...shared.server });
server.tool("pid", () => String(process.pid));
server.tool("change", () => {
  server.announce.resourceUpdated("file:///changed");
  return String(process.pid);
});
server.resource("file:///changed", { name: "changed" }, () => "text");
const { url } = await serveHttp(server, shared.http);
process.send?.({ url });
