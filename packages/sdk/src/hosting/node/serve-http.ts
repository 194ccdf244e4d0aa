/** Serves an MCP server over HTTP with its own `node:http` server: with limits on connections, and a graceful close. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checkDuration } from "../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { timerMs } from "../../runtime/timers.js";
import type { McpServer } from "../../server/mcp-server.js";
import { checkServer } from "../../server/server-hosting.js";
import { HttpEndpoint } from "../http/http-endpoint.js";
import { endpointOptions, HTTP_OPTIONS, type HttpOptions } from "../http/http-options.js";
import type { SessionRelay } from "./cluster/session-relay.js";
import { ConnectionOutputs } from "./connection-output.js";
import { CONNECTION_LIMITS, type ConnectionLimits } from "./connection-table.js";
import { Connections } from "./connections.js";
import { listening } from "./listening.js";
import { handleNode, type NodeHost } from "./node-handler.js";
import type { NodeClientAddress } from "./node-request.js";

/** Options of `serveHttp`. */
export interface ServeHttpOptions extends HttpOptions, ConnectionLimits {
  /** Port to listen on; 0 for any free one. @defaultValue 0 */
  port?: number | undefined;
  /** Address to listen on. By default, only this machine can connect. @defaultValue "127.0.0.1" */
  host?: string | undefined;
  /** Path of the endpoint. @defaultValue "/mcp" */
  path?: string | undefined;
  /** Serves all other paths, after the same checks of Host and Origin. @defaultValue answers 404 */
  fallback?: RequestListener | undefined;
  /**
   * Returns the client's address, such as `(request) => request.headers["x-real-ip"]`. Use a header that your proxy overwrites,
   * never one that a client can set. Rate limits count clients without a principal by address. `routes` receive the address.
   * @defaultValue the address of the connection
   */
  clientAddress?: NodeClientAddress | undefined;
  /** Passes requests of legacy sessions on to the processes that have them. `clusterBackend` makes one. @defaultValue none */
  sessionRelay?: SessionRelay | undefined;
  /**
   * Refuse a request whose head takes longer than this to arrive. The time of a connection's first request starts when the
   * connection opens.
   * @defaultValue 10_000
   */
  headersTimeoutMs?: number | undefined;
  /**
   * Close a connection that is idle between requests for this long. Keep it longer than the idle timeout of your load
   * balancer, commonly 60 s.
   * @defaultValue 65_000
   */
  idleConnectionMs?: number | undefined;
}

const OPTIONS: OptionTable<ServeHttpOptions> = {
  ...HTTP_OPTIONS,
  ...CONNECTION_LIMITS,
  port: true,
  host: "string",
  fallback: "function",
  clientAddress: "function",
  sessionRelay: "object",
  headersTimeoutMs: true,
  idleConnectionMs: true,
};

/** A server that listens over HTTP, until `close`. */
export interface HttpServerHandle {
  /** The URL that clients connect to. */
  readonly url: string;
  readonly port: number;
  /** Ends subscriptions and sessions, lets requests in progress finish, then closes every connection. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Time that a closing server gives slow clients to read their answers. */
const FLUSH_MS = 1_000;

/**
 * Listens and serves both eras on one endpoint.
 * @throws {SdkError} `invalid-argument` for an unknown option, or a limit out of range; rejects with Node's error if it cannot listen.
 *
 * @example
 * const { url, close } = await serveHttp(server, { port: 3000 });
 */
export async function serveHttp(server: McpServer, options: ServeHttpOptions = {}): Promise<HttpServerHandle> {
  checkServer("serveHttp", server);
  checkOptions("serveHttp", options, OPTIONS);
  const { port = 0, host = "127.0.0.1", path = "/mcp", fallback, clientAddress, sessionRelay } = options;
  if (!path.startsWith("/")) throw new SdkError("invalid-argument", `path: expected one such as "/mcp", got "${path}"`);
  checkPort(port, options.authorization?.resource);
  const endpoint = new HttpEndpoint(server, { ...endpointOptions(options), path });
  const release = (error: unknown) => closeAfter(endpoint, error);
  await Promise.all([options.authorization?.ready(), endpoint.started]).catch(release);
  const { http, connections } = await createBoundedServer(options, endpoint.limits.bodyTimeoutMs).catch(release);
  const mounted = { endpoint, outputs: new ConnectionOutputs(endpoint.limits), clientAddress };
  const serve = (from: NodeHost, request: IncomingMessage, response: ServerResponse) =>
    handleNode(from, request, response, undefined, { fallback: fallback && (() => fallback(request, response)) });
  http.on("request", (request, response) => {
    connections.track(response, request);
    if (sessionRelay) sessionRelay.relay(request, response, () => serve(mounted, request, response));
    else serve(mounted, request, response);
  });
  // Before clients come: their sessions may have been opened by another process.
  const relayed = sessionRelay && { ...mounted, relayed: sessionRelay };
  const stopRelay = relayed && (await sessionRelay.accept((...given) => serve(relayed, ...given)).catch(release));
  await listening(http, { port, host }).catch(async (error: unknown) => {
    await stopRelay?.();
    return release(error);
  });
  // A server that listens on a port has an address with one.
  const address = http.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeGracefully(http, connections, endpoint, stopRelay);
    return closing;
  };
  return { url: urlOf(host, address.port, path), port: address.port, close, [Symbol.asyncDispose]: close };
}

async function closeAfter(endpoint: HttpEndpoint, error: unknown): Promise<never> {
  await endpoint.close();
  throw error;
}

/**
 * Refuses port 0 for a resource with an http: URL. Tokens are issued for that URL, which names the port. An https: URL names
 * the port of a proxy, so it is not checked.
 */
function checkPort(port: number, resource: string | undefined): void {
  if (port !== 0 || !resource?.startsWith("http:")) return;
  const wanted = new URL(resource).port || "80";
  const complaint = `the resource of authorization is ${resource}, and 0 listens on any free port; pass port: ${wanted}`;
  throw new SdkError("invalid-argument", `port: ${complaint}, or find a free port and put it into both`);
}

interface BoundedServer {
  readonly http: Server;
  readonly connections: Connections;
}

async function createBoundedServer(options: ServeHttpOptions, bodyTimeoutMs: number): Promise<BoundedServer> {
  // Loaded here: stdio servers import this module too, and start faster without `node:http`.
  const { createServer } = await import("node:http");
  const { headersTimeoutMs = 10_000, idleConnectionMs = 65_000 } = options;
  checkDuration("headersTimeoutMs", headersTimeoutMs);
  checkDuration("idleConnectionMs", idleConnectionMs);
  const http = createServer({
    headersTimeout: orNever(headersTimeoutMs),
    // The endpoint answers a slow body with 408 itself. This timeout ends bodies that the endpoint has stopped reading.
    requestTimeout: orNever(headersTimeoutMs + bodyTimeoutMs),
    connectionsCheckingInterval: Math.ceil(Math.max(20, Math.min(headersTimeoutMs / 2, 30_000))),
    keepAliveTimeout: orNever(idleConnectionMs),
  });
  return { http, connections: new Connections(http, options) };
}

/** Node takes whole milliseconds, and 0 for no limit. Its timers end at 24 days. */
function orNever(ms: number): number {
  return Number.isFinite(ms) ? Math.ceil(timerMs(ms)) : 0;
}

async function closeGracefully(
  http: Server,
  connections: Connections,
  endpoint: HttpEndpoint,
  stopRelay: (() => Promise<void>) | undefined,
): Promise<void> {
  // The server keeps listening meanwhile: a handler may wait for an answer that its client has yet to POST.
  await endpoint.close();
  await stopRelay?.();
  const closed = new Promise<void>((resolve) => {
    http.close(() => resolve());
  });
  connections.close();
  const flush = setTimeout(() => http.closeAllConnections(), FLUSH_MS);
  await closed;
  clearTimeout(flush);
}

function urlOf(host: string, port: number, path: string): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}${path}`;
}
