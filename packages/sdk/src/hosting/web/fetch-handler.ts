/** Serves an MCP server wherever a `Request` becomes a `Response`: workers, Deno, Bun, Hono, route handlers. */
import type { McpServer } from "../../server/mcp-server.js";
import type { Caller } from "../../transport/caller.js";
import { HttpEndpoint } from "../http/http-endpoint.js";
import type { HttpOptions } from "../http/http-options.js";
import { type ClientAddress, WebRequest } from "./web-request.js";
import { WebResponse } from "./web-response.js";

export interface FetchHandlerOptions extends HttpOptions {
  /**
   * Where a request comes from, such as `(request) => request.headers.get("cf-connecting-ip")`. Take a header that your
   * platform sets, and never one that a client can. Rates count clients without a principal by it, of IPv6 by the first
   * 64 bits.
   * @defaultValue not known; clients without a principal share the rate of the server
   */
  clientAddress?: ClientAddress | undefined;
}

export interface FetchExtra {
  /** Who sent the request, where that has been established already; `authenticate` is not asked then. */
  readonly caller?: Caller | undefined;
  /** The body as a framework has parsed it already. */
  readonly parsedBody?: unknown;
}

export interface FetchHandler {
  /** Answers one request. Never rejects. */
  (request: Request, extra?: FetchExtra): Promise<Response>;
  /** Ends subscriptions and sessions, waits for what is being served, and turns away what comes from now on. */
  close(): Promise<void>;
}

/**
 * Makes a handler for web-standard runtimes.
 * @throws {SdkError} `invalid-argument` for a limit out of range.
 *
 * @example
 * const handler = createFetchHandler(server, { allowedHosts: ["mcp.example.com"] });
 * const response = await handler(new Request("https://mcp.example.com/mcp"));
 */
export function createFetchHandler(server: McpServer, options: FetchHandlerOptions = {}): FetchHandler {
  const endpoint = new HttpEndpoint(server, options);
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
