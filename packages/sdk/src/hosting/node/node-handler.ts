/** Request listener that serves an MCP server inside any `node:http` server: plain, Express, Fastify, Connect. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import type { McpServer } from "../../server/mcp-server.js";
import { checkServer } from "../../server/server-hosting.js";
import type { Caller } from "../../transport/caller.js";
import { HttpEndpoint, type RequestOrigin } from "../http/http-endpoint.js";
import { endpointOptions, HTTP_OPTIONS, type HttpOptions } from "../http/http-options.js";
import { isPipelined } from "./body-reader.js";
import { ConnectionOutputs } from "./connection-output.js";
import { isLingering } from "./lingering-close.js";
import { type NodeClientAddress, NodeRequest, type RelayedAddresses } from "./node-request.js";
import { NodeResponse } from "./node-response.js";

/** Options of `createNodeHandler`. */
export interface NodeHandlerOptions extends HttpOptions {
  /**
   * The caller of a request that the framework has authenticated. `authenticate` is not called for such a request.
   * @defaultValue none
   */
  caller?: ((request: IncomingMessage) => Caller | undefined) | undefined;
  /**
   * Returns the client's address, such as `(request) => request.headers["x-real-ip"]`. Use a header that your proxy overwrites,
   * never one that a client can set. Rate limits count clients without a principal by address. `routes` receive the address.
   * @defaultValue the address of the connection
   */
  clientAddress?: NodeClientAddress | undefined;
}

const OPTIONS: OptionTable<NodeHandlerOptions> = { ...HTTP_OPTIONS, caller: "function", clientAddress: "function" };

/** A request listener of `node:http` that serves an MCP server. `createNodeHandler` makes one. */
export interface NodeHandler {
  /**
   * Answers one request. The body is `parsedBody`, else the `request.body` of a framework, else the handler reads it. Never
   * throws.
   */
  (request: IncomingMessage, response: ServerResponse, parsedBody?: unknown): void;
  /** Ends subscriptions and sessions, waits for requests in progress, and refuses later ones. */
  close(): Promise<void>;
}

/**
 * Creates a request listener to mount in your own server.
 * @throws {SdkError} `invalid-argument` for an unknown option, or a limit out of range.
 *
 * @example
 * const { createServer } = await import("node:http");
 * const handler = createNodeHandler(server, { path: "/mcp" });
 * createServer(handler).listen(3000, "127.0.0.1");
 */
export function createNodeHandler(server: McpServer, options: NodeHandlerOptions = {}): NodeHandler {
  checkServer("createNodeHandler", server);
  checkOptions("createNodeHandler", options, OPTIONS);
  const endpoint = new HttpEndpoint(server, endpointOptions(options));
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

/** An endpoint, and the queued output of the connections it serves. */
export interface NodeHost {
  readonly endpoint: HttpEndpoint;
  readonly outputs: ConnectionOutputs;
  readonly clientAddress: NodeClientAddress | undefined;
  /** Set for requests that another process passes on. */
  readonly relayed?: RelayedAddresses | undefined;
}

export function handleNode(
  { endpoint, outputs, clientAddress, relayed }: NodeHost,
  request: IncomingMessage,
  response: ServerResponse,
  parsedBody: unknown,
  origin: RequestOrigin,
): void {
  if (isLingering(request)) return;
  if (isPipelined(response)) outputs.opened(response);
  const received = new NodeRequest(response, parsedBody, endpoint.bodies, outputs, clientAddress, relayed);
  endpoint.handle(received, new NodeResponse(response, outputs), origin);
}

/** Express passes its `next` function as the third argument, where other frameworks pass a body. */
function bodyOf(request: IncomingMessage, given: unknown): unknown {
  if (given !== undefined && typeof given !== "function") return given;
  return "body" in request ? request.body : undefined;
}
