/** Options for serving over HTTP, and their defaults. Every limit is an option. */
import { checkNumber } from "../../errors/option-checks.js";
import { checkOptions, describeKind, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { Caller } from "../../transport/caller.js";
import { DEFAULT_MAX_JSON_DEPTH, DEFAULT_MAX_JSON_NODES } from "../../wire/json-limits.js";
import type { AccessLogEntry } from "./access-log.js";
import type { CorsOptions } from "./cors.js";
import { checkHosts, checkOrigins } from "./host-checks.js";
import type { HttpRequest } from "./http-host.js";
import type { LegacyOptions } from "./legacy/legacy-options.js";
import type { ResourceGate } from "./resource-gate.js";
import type { WebRoute } from "./web-route.js";

/** Options of every host over HTTP: eras, callers, origins, and limits. */
export interface HttpOptions {
  /** Path of the endpoint. Other paths are answered 404. @defaultValue every path; `serveHttp` has its own default */
  path?: string | undefined;
  /**
   * Options for clients of the legacy era. `false` serves only the modern era.
   * @defaultValue sessions in memory, with the defaults of its members
   */
  legacy?: LegacyOptions | false | undefined;
  /**
   * Returns the caller of a request. Runs before the body is read. Return undefined to refuse the request with 401, or `{}`
   * for an anonymous caller. Throw an `HttpRefusal` for another refusal. Any other error is answered 500 and goes to the
   * server's `onError`.
   * @defaultValue every caller is anonymous
   */
  authenticate?: ((request: HttpRequest) => Caller | undefined | Promise<Caller | undefined>) | undefined;
  /**
   * Requires access tokens, e.g. `protectedResource(…)` of `parley-mcp/oauth/resource`. Replaces `authenticate`.
   * @defaultValue none
   */
  authorization?: ResourceGate | undefined;
  /**
   * Functions for other paths, such as those of an authorization server. The endpoint checks `Host`, then calls each
   * function until one returns a response.
   * @defaultValue none
   */
  routes?: readonly WebRoute[] | undefined;
  /**
   * Host names of this server (`"mcp.example.com"`, or with a port). Requests with another `Host` are refused with 403. A
   * request over loopback may always use a loopback name.
   * @defaultValue loopback names over loopback, every name elsewhere
   */
  allowedHosts?: readonly string[] | "any" | undefined;
  /**
   * Origins whose pages may call (`"https://app.example.com"`).
   * @defaultValue loopback origins over loopback, none elsewhere
   */
  allowedOrigins?: readonly string[] | "any" | undefined;
  /** Allows pages of other origins to read the answers of the endpoint. `routes` set such headers themselves. @defaultValue off */
  cors?: CorsOptions | undefined;
  /** Bytes of one request body. @defaultValue 4_194_304 */
  maxBodyBytes?: number | undefined;
  /** Refuse a request whose body takes longer than this to arrive. @defaultValue 30_000 */
  bodyTimeoutMs?: number | undefined;
  /** Nesting depth of arrays and objects in a body. @defaultValue 512 */
  maxJsonDepth?: number | undefined;
  /**
   * Arrays, objects and strings (keys among them) in a body. Five numbers in a list count as one, two of more than 15 characters
   * do, and so do 25 digits of a number. A number with an exponent counts as one.
   * @defaultValue 150_000
   */
  maxJsonNodes?: number | undefined;
  /**
   * Queued bytes of one connection. Over the limit, an event stream is disconnected, and pipelined requests wait to be
   * served. A single answer may be larger.
   * @defaultValue 1_048_576
   */
  maxQueuedBytes?: number | undefined;
  /**
   * Queued bytes of all connections. Over the limit, the server disconnects a client of the principal (or address) with the
   * most queued bytes: the one that has read nothing for longest. Has no effect in `createFetchHandler`, where the runtime
   * owns the connections.
   * @defaultValue 67_108_864
   */
  maxTotalQueuedBytes?: number | undefined;
  /**
   * Disconnects a client that has queued bytes and takes none of them, or less than 64 KiB, for this long. Right after it took a
   * piece of a long answer at once, 256 KiB count instead.
   * @defaultValue 30_000
   */
  stallTimeoutMs?: number | undefined;
  /** Send a comment over a stream that was silent for this long. `Infinity` sends none. @defaultValue 15_000 */
  keepAliveMs?: number | undefined;
  /**
   * Time for requests in progress to finish after `close` was called. The server's `onClose` then gets as long
   * again, or 10_000 if this is 0.
   * @defaultValue 10_000
   */
  shutdownGraceMs?: number | undefined;
  /** Called with an access log entry when a response has ended. @defaultValue none */
  onResponse?: ((report: AccessLogEntry) => void) | undefined;
  /**
   * Called with an `HttpRefusal` for every refused request, including refusals by a limit. Not called for requests that are
   * refused in a batch or on an open stream.
   * @defaultValue none
   */
  onRefusal?: ((error: Error) => void) | undefined;
}

/** Hosts check their options against this table and their own, so that errors name the host. */
export const HTTP_OPTIONS: OptionTable<HttpOptions> = {
  path: "string",
  legacy: true,
  authenticate: "function",
  authorization: true,
  routes: true,
  allowedHosts: true,
  allowedOrigins: true,
  cors: "object",
  maxBodyBytes: true,
  bodyTimeoutMs: true,
  maxJsonDepth: true,
  maxJsonNodes: true,
  maxQueuedBytes: true,
  maxTotalQueuedBytes: true,
  stallTimeoutMs: true,
  keepAliveMs: true,
  shutdownGraceMs: true,
  onResponse: "function",
  onRefusal: "function",
};

/** The limits of an endpoint, with the defaults filled in. */
export interface HttpLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  readonly maxJsonDepth: number;
  readonly maxJsonNodes: number;
  readonly maxQueuedBytes: number;
  readonly maxTotalQueuedBytes: number;
  readonly stallTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly shutdownGraceMs: number;
}

/** Limits for clients that read slowly. */
export type StreamLimits = Pick<HttpLimits, "maxQueuedBytes" | "stallTimeoutMs">;

const DEFAULTS: HttpLimits = {
  maxBodyBytes: 4 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  maxJsonDepth: DEFAULT_MAX_JSON_DEPTH,
  maxJsonNodes: DEFAULT_MAX_JSON_NODES,
  maxQueuedBytes: 1024 * 1024,
  maxTotalQueuedBytes: 64 * 1024 * 1024,
  stallTimeoutMs: 30_000,
  keepAliveMs: 15_000,
  shutdownGraceMs: 10_000,
};

/** @throws {SdkError} `invalid-argument` for a limit that is not a number from 0. */
export function httpLimits(options: HttpOptions): HttpLimits {
  return {
    maxBodyBytes: limit(options, "maxBodyBytes"),
    bodyTimeoutMs: limit(options, "bodyTimeoutMs"),
    maxJsonDepth: limit(options, "maxJsonDepth"),
    maxJsonNodes: limit(options, "maxJsonNodes"),
    maxQueuedBytes: limit(options, "maxQueuedBytes"),
    maxTotalQueuedBytes: limit(options, "maxTotalQueuedBytes"),
    stallTimeoutMs: limit(options, "stallTimeoutMs"),
    keepAliveMs: limit(options, "keepAliveMs"),
    shutdownGraceMs: limit(options, "shutdownGraceMs"),
  };
}

function limit(options: HttpOptions, name: keyof HttpLimits): number {
  const { [name]: value = DEFAULTS[name] } = options;
  checkNumber(name, value, 0);
  return value;
}

/** The options of the endpoint among the options of a host. */
export function endpointOptions(options: HttpOptions): HttpOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(HTTP_OPTIONS, name)));
}

/** Checks names and kinds, and who may call, at start and not at the first request. @throws {SdkError} `invalid-argument` */
export function checkHttpOptions(options: HttpOptions): void {
  checkOptions("HttpEndpoint", options, HTTP_OPTIONS);
  const { authorization, routes, allowedHosts, allowedOrigins } = options;
  checkHosts("allowedHosts", allowedHosts);
  checkOrigins("allowedOrigins", allowedOrigins);
  // Also null and false, as `auth && protectedResource(…)` gives them: they would leave the server open.
  if (authorization !== undefined && typeof authorization?.authenticate !== "function") {
    const advice = "write `authorization: protectedResource({ resource, issuer })` of parley-mcp/oauth/resource";
    throw new SdkError(
      "invalid-argument",
      `authorization: expected a gate, got ${describeKind(authorization)}; ${advice}`,
    );
  }
  if (routes === undefined || (Array.isArray(routes) && routes.every((route) => typeof route === "function"))) return;
  throw new SdkError("invalid-argument", "routes: expected a list of functions; write `routes: [login.handle]`");
}
