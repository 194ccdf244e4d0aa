/** Serves an MCP server over HTTP with a server of its own, made for being reached by strangers: bounded, and closed gently. */
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { checkDuration } from "../../dispatch/deadline.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { McpServer } from "../../server/mcp-server.js";
import { HttpEndpoint } from "../http/http-endpoint.js";
import type { HttpOptions } from "../http/http-options.js";
import { ConnectionOutputs } from "./connection-output.js";
import type { ConnectionLimits } from "./connection-table.js";
import { Connections } from "./connections.js";
import { listening } from "./listening.js";
import { handleNode } from "./node-handler.js";
import type { NodeClientAddress } from "./node-request.js";

export interface ServeHttpOptions extends HttpOptions, ConnectionLimits {
  /** Port to listen on; 0 for any free one. @defaultValue 0 */
  port?: number | undefined;
  /** Address to listen on. The default is reachable from this machine alone. @defaultValue "127.0.0.1" */
  host?: string | undefined;
  /** Path of the endpoint. @defaultValue "/mcp" */
  path?: string | undefined;
  /** Serves the other paths, after the same checks of Host and Origin. @defaultValue answers 404 */
  otherwise?: RequestListener | undefined;
  /**
   * Where a request comes from, such as `(request) => request.headers["x-real-ip"]`. Take a header that your proxy overwrites,
   * and never one that a client can set. Rates count clients without a principal by it, and `routes` get it.
   * @defaultValue the address of the connection
   */
  clientAddress?: NodeClientAddress | undefined;
  /** Refuse a request whose head takes longer than this to arrive, from the opening of a connection on. @defaultValue 10_000 */
  headersTimeoutMs?: number | undefined;
  /**
   * Close a connection that is idle between requests for this long. Load balancers commonly use 60 s.
   * @defaultValue 65_000
   */
  idleConnectionMs?: number | undefined;
}

export interface HttpServerHandle {
  /** Where clients connect. */
  readonly url: string;
  readonly port: number;
  /** Ends subscriptions and sessions, lets requests that are being served finish, then closes every connection. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How long a closing server lets answers reach clients that read slowly. */
const FLUSH_MS = 1_000;

/**
 * Listens and serves both eras on one endpoint.
 * @throws {SdkError} `invalid-argument` for a limit out of range; rejects with Node's error if it cannot listen.
 *
 * @example
 * const { url, close } = await serveHttp(server, { port: 3000 });
 */
export async function serveHttp(server: McpServer, options: ServeHttpOptions = {}): Promise<HttpServerHandle> {
  const { port = 0, host = "127.0.0.1", path = "/mcp", otherwise, clientAddress } = options;
  if (!path.startsWith("/")) throw new SdkError("invalid-argument", `path: expected one such as "/mcp", got "${path}"`);
  checkPort(port, options.authorization?.resource);
  const endpoint = new HttpEndpoint(server, { ...options, path });
  await options.authorization?.ready();
  await endpoint.started.catch((error: unknown) => closeAfter(endpoint, error));
  const http = await createBoundedServer(options, endpoint.limits.bodyTimeoutMs);
  const connections = new Connections(http, options);
  const mounted = { endpoint, outputs: new ConnectionOutputs(endpoint.limits), clientAddress };
  http.on("request", (request, response) => {
    connections.track(response, request);
    const fallback = otherwise && (() => otherwise(request, response));
    handleNode(mounted, request, response, undefined, { fallback });
  });
  await listening(http, { port, host }).catch((error: unknown) => closeAfter(endpoint, error));
  // A server that listens on a port has an address with one.
  const address = http.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeGently(http, connections, endpoint);
    return closing;
  };
  return { url: urlOf(host, address.port, path), port: address.port, close, [Symbol.asyncDispose]: close };
}

async function closeAfter(endpoint: HttpEndpoint, error: unknown): Promise<never> {
  await endpoint.close();
  throw error;
}

/** Tokens are issued for a URL, which names the port. Only http URLs, which are of this machine, tell which one it is here. */
function checkPort(port: number, resource: string | undefined): void {
  if (port !== 0 || !resource?.startsWith("http:")) return;
  const wanted = new URL(resource).port || "80";
  const complaint = `the resource of authorization is ${resource}, and 0 listens on any free port; pass port: ${wanted}`;
  throw new SdkError("invalid-argument", `port: ${complaint}, or find a free port and put it into both`);
}

async function createBoundedServer(options: ServeHttpOptions, bodyTimeoutMs: number): Promise<Server> {
  // Loaded here, since servers over stdio import this module, too, and start without it in less time.
  const { createServer } = await import("node:http");
  const { headersTimeoutMs = 10_000, idleConnectionMs = 65_000 } = options;
  checkDuration("headersTimeoutMs", headersTimeoutMs);
  checkDuration("idleConnectionMs", idleConnectionMs);
  return createServer({
    headersTimeout: orNever(headersTimeoutMs),
    // The endpoint answers a slow body itself; this is for one that it has stopped waiting for.
    requestTimeout: orNever(headersTimeoutMs + bodyTimeoutMs),
    connectionsCheckingInterval: Math.max(20, Math.min(headersTimeoutMs / 2, 30_000)),
    keepAliveTimeout: orNever(idleConnectionMs),
  });
}

/** Node takes 0 for no limit. */
function orNever(ms: number): number {
  return Number.isFinite(ms) ? ms : 0;
}

async function closeGently(http: Server, connections: Connections, endpoint: HttpEndpoint): Promise<void> {
  // What is being served may wait for what its client has yet to post.
  await endpoint.close();
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
