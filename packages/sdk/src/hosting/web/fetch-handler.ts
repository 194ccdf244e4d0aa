/** Serves an MCP server as a function from `Request` to `Response`: workers, Deno, Bun, Hono, route handlers. */
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import type { McpServer } from "../../server/mcp-server.js";
import { checkServer } from "../../server/server-hosting.js";
import type { Caller } from "../../transport/caller.js";
import { HttpEndpoint } from "../http/http-endpoint.js";
import { endpointOptions, HTTP_OPTIONS, type HttpOptions } from "../http/http-options.js";
import { type ClientAddress, WebRequest } from "./web-request.js";
import { WebResponse } from "./web-response.js";

/** Options of `createFetchHandler`. */
export interface FetchHandlerOptions extends HttpOptions {
  /**
   * Returns the client's address, such as `(request) => request.headers.get("cf-connecting-ip")`. Use a header that your
   * platform sets, never one that a client can set. Rate limits count clients without a principal by address. An IPv6
   * address counts by its first 64 bits.
   * @defaultValue not known; clients without a principal share the rate of the server
   */
  clientAddress?: ClientAddress | undefined;
}

const OPTIONS: OptionTable<FetchHandlerOptions> = { ...HTTP_OPTIONS, clientAddress: "function" };

/** Facts about a request that a framework has found before. */
export interface FetchExtra {
  /** The caller, if your program has authenticated it. `authenticate` is then not called. */
  readonly caller?: Caller | undefined;
  /** The body, if a framework has parsed it. */
  readonly parsedBody?: unknown;
}

/** A function from `Request` to `Response` that serves an MCP server. `createFetchHandler` makes one. */
export interface FetchHandler {
  /** Answers one request. Never rejects. */
  (request: Request, extra?: FetchExtra): Promise<Response>;
  /** Ends subscriptions and sessions, waits for requests in progress, and refuses later ones. */
  close(): Promise<void>;
}

/**
 * Creates a handler for web-standard runtimes.
 * @throws {SdkError} `invalid-argument` for an unknown option, or a limit out of range.
 *
 * @example
 * const handler = createFetchHandler(server, { allowedHosts: ["mcp.example.com"] });
 * const response = await handler(new Request("https://mcp.example.com/mcp"));
 */
export function createFetchHandler(server: McpServer, options: FetchHandlerOptions = {}): FetchHandler {
  checkServer("createFetchHandler", server);
  checkOptions("createFetchHandler", options, OPTIONS);
  const endpoint = new HttpEndpoint(server, endpointOptions(options));
  const { clientAddress } = options;
  const { bodyTimeoutMs } = endpoint.limits;
  return Object.assign(
    async (request: Request, { caller, parsedBody }: FetchExtra = {}): Promise<Response> => {
      const received = new WebRequest(request, parsedBody, bodyTimeoutMs, endpoint.bodies, clientAddress);
      const response = new WebResponse(endpoint.limits, () => received.disconnected());
      received.onDisconnect(() => response.abandon());
      endpoint.handle(received, response, { caller: () => caller });
      return response.sent;
    },
    { close: () => endpoint.close() },
  );
}
