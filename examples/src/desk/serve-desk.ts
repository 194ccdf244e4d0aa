/** The desk over HTTP, with its status page beside it. */
import { fileURLToPath } from "node:url";
import { type ClusterBackend, type HttpServerHandle, serveHttp } from "parley-mcp/node";
import { RequestLog } from "../status-page/request-log.js";
import { createStatusPage } from "../status-page/routes.js";
import { serveSandbox } from "../status-page/sandbox-server.js";
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
  // The page does not log in, so it shows the app of an open desk only.
  const sandbox = protection ? undefined : await serveSandbox(() => originsOf(http.url));
  // Sessions stay with their worker, which has notes of its own.
  const revision = workers && "2025-11-25";
  const page = createStatusPage({
    server,
    log,
    addresses: () => ({ url: http.url, stdioProgram }),
    // Workers have no tasks.
    app: sandbox && { sandbox: sandbox.origin, revision, longTool: workers ? undefined : "focus_timer" },
  });
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
  }).catch(async (error: unknown) => {
    await sandbox?.close();
    throw error;
  });
  return {
    url: http.url,
    close: async () => {
      stop();
      page.close();
      await Promise.all([http.close(), sandbox?.close()]);
    },
  };
}

/** The status page at each name of this machine that the server accepts. */
function originsOf(url: string): string[] {
  const { origin, port } = new URL(url);
  return [origin, `http://localhost:${port}`];
}
