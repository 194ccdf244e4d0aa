/** The desk over HTTP, with its status page beside it. */
import { fileURLToPath } from "node:url";
import { type ClusterBackend, type HttpServerHandle, serveHttp } from "parley-mcp/node";
import { RequestLog } from "../status-page/request-log.js";
import { createStatusPage } from "../status-page/routes.js";
import { createDeskServer } from "./desk-server.js";
import type { Protection } from "./protected-desk.js";

export const DESK_PATH = "/mcp";
/** How long requests that are being served may go on once the server was told to stop. */
const SHUTDOWN_GRACE_MS = 1_000;

/** Rejects with Node's error if the port is taken. With a protection, clients have to log in. Workers pass what they share. */
export async function serveDesk(
  port: number,
  protection?: Protection,
  workers?: ClusterBackend,
): Promise<Pick<HttpServerHandle, "url" | "close">> {
  const { server, stop } = createDeskServer({ shared: workers?.server });
  const log = new RequestLog();
  server.use(log.middleware);
  const stdioProgram = fileURLToPath(new URL("../stdio-server.js", import.meta.url));
  const page = createStatusPage(server, log, () => ({ url: http.url, stdioProgram }));
  const http = await serveHttp(server, {
    port,
    path: DESK_PATH,
    shutdownGraceMs: SHUTDOWN_GRACE_MS,
    // Checked for Host and Origin like the endpoint itself.
    fallback: page.serve,
    onResponse: (report) => {
      log.record(report);
      if (workers)
        console.log(`worker ${process.pid}  ${report.era ?? ""} ${report.method ?? report.verb} ${report.status}`);
    },
    ...workers?.http,
    ...protection?.options,
  });
  return {
    url: http.url,
    close: async () => {
      stop();
      page.close();
      await http.close();
    },
  };
}
