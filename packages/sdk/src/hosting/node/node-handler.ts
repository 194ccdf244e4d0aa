/** Serves an MCP server inside any server made of `node:http`: plain, Express, Fastify, Connect. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { McpServer } from "../../server/mcp-server.js";
import type { Caller } from "../../transport/caller.js";
import { HttpEndpoint, type RequestOrigin } from "../http/http-endpoint.js";
import type { HttpOptions } from "../http/http-options.js";
import { ConnectionOutputs } from "./connection-output.js";
import { isLingering } from "./lingering-close.js";
import { type NodeClientAddress, NodeRequest } from "./node-request.js";
import { NodeResponse } from "./node-response.js";

export interface NodeHandlerOptions extends HttpOptions {
  /**
   * Who sent a request, where the framework has established that already; `authenticate` is not asked then.
   * @defaultValue none
   */
  caller?: ((request: IncomingMessage) => Caller | undefined) | undefined;
  /**
   * Where a request comes from, such as `(request) => request.headers["x-real-ip"]`. Take a header that your proxy overwrites,
   * and never one that a client can set. Rates count clients without a principal by it, and `routes` get it.
   * @defaultValue the address of the connection
   */
  clientAddress?: NodeClientAddress | undefined;
}

export interface NodeHandler {
  /**
   * Answers one request. The body is `parsedBody` if given, else what a framework left in `request.body`, else it is
   * read. Never throws.
   */
  (request: IncomingMessage, response: ServerResponse, parsedBody?: unknown): void;
  /** Ends subscriptions and sessions, waits for what is being served, and turns away what comes from now on. */
  close(): Promise<void>;
}

/**
 * Makes a handler to mount in a server of your own.
 * @throws {SdkError} `invalid-argument` for a limit out of range.
 *
 * @example
 * const { createServer } = await import("node:http");
 * const handler = createNodeHandler(server, { path: "/mcp" });
 * createServer(handler).listen(3000, "127.0.0.1");
 */
export function createNodeHandler(server: McpServer, options: NodeHandlerOptions = {}): NodeHandler {
  const endpoint = new HttpEndpoint(server, options);
  const { clientAddress } = options;
  const mounted = { endpoint, outputs: new ConnectionOutputs(endpoint.limits), clientAddress };
  return Object.assign(
    (request: IncomingMessage, response: ServerResponse, parsedBody?: unknown) => {
      const origin = { caller: () => options.caller?.(request) };
      handleNode(mounted, request, response, bodyOf(request, parsedBody), origin);
    },
    { close: () => endpoint.close() },
  );
}

/** An endpoint, and the output of the connections it serves. */
export interface NodeHost {
  readonly endpoint: HttpEndpoint;
  readonly outputs: ConnectionOutputs;
  readonly clientAddress: NodeClientAddress | undefined;
}

export function handleNode(
  { endpoint, outputs, clientAddress }: NodeHost,
  request: IncomingMessage,
  response: ServerResponse,
  parsedBody: unknown,
  origin: RequestOrigin,
): void {
  if (isLingering(request)) return;
  const received = new NodeRequest(response, parsedBody, endpoint.bodies, outputs, clientAddress);
  endpoint.handle(received, new NodeResponse(response, outputs), origin);
}

/** Express passes its `next` where others may pass a body. */
function bodyOf(request: IncomingMessage, given: unknown): unknown {
  if (given !== undefined && typeof given !== "function") return given;
  return "body" in request ? request.body : undefined;
}
