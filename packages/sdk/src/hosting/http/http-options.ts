/** What can be set about serving over HTTP, with the defaults of a careful person. Every limit is an option. */
import { SdkError } from "../../errors/sdk-error.js";
import type { Caller } from "../../transport/caller.js";
import { DEFAULT_MAX_JSON_DEPTH, DEFAULT_MAX_JSON_NODES } from "../../wire/json-limits.js";
import type { CorsOptions } from "./cors.js";
import type { ExchangeReport } from "./exchange-report.js";
import type { HttpRequest } from "./http-exchange.js";
import type { LegacyOptions } from "./legacy/legacy-options.js";

export interface HttpOptions {
  /** The one path that is served; others are 404. Without it every path is: whoever mounts a handler has decided it. */
  path?: string | undefined;
  /** How clients of the legacy era are served; `false` serves the modern era alone. */
  legacy?: LegacyOptions | false | undefined;
  /**
   * Says who sent a request, before its body is read. Throw an `HttpRefusal` to turn it away; anything else that is
   * thrown is a 500 and goes to the server's `onError`.
   */
  authenticate?: ((request: HttpRequest) => Caller | undefined | Promise<Caller | undefined>) | undefined;
  /**
   * Names this server goes by (`"mcp.example.com"`, or with a port). Requests for others are 403. Loopback names are
   * always allowed where the request came in over loopback, and without this option they are the only ones there.
   */
  allowedHosts?: readonly string[] | "any" | undefined;
  /** Origins whose pages may call (`"https://app.example.com"`). Default: none, and on loopback the loopback ones. */
  allowedOrigins?: readonly string[] | "any" | undefined;
  /** Lets pages of other origins read the answers. Off by default. */
  cors?: CorsOptions | undefined;
  /** The largest body that is read. Default 4 MiB. */
  maxBodyBytes?: number | undefined;
  /** How long a body may take to arrive. Default 30 seconds. */
  bodyTimeoutMs?: number | undefined;
  /** How deep JSON may be nested. Default 512. */
  maxJsonDepth?: number | undefined;
  /**
   * How many arrays, objects and strings (keys among them) a body may hold. Ten numbers in a list count as one.
   * Default 150,000.
   */
  maxJsonNodes?: number | undefined;
  /**
   * Queued bytes of one connection. An event stream over it is disconnected; requests that were pipelined behind plain
   * answers wait to be served. One answer may be larger.
   * @defaultValue 1_048_576
   */
  maxQueuedBytes?: number | undefined;
  /**
   * Queued bytes of all connections. Over it the client that has read nothing for longest is disconnected. Not in effect
   * with `createFetchHandler`, where the runtime owns the connections.
   * @defaultValue 134_217_728
   */
  maxTotalQueuedBytes?: number | undefined;
  /**
   * Disconnects a client that has queued bytes and takes none of them, or less than 64 KiB, for this long.
   * @defaultValue 30_000
   */
  stallTimeoutMs?: number | undefined;
  /** How often a silent stream says that it is alive. Default 15 seconds; `Infinity` for never. */
  keepAliveMs?: number | undefined;
  /** How long `close` waits for requests that are being served. Default 10 seconds. */
  shutdownGraceMs?: number | undefined;
  /** Hears of every exchange when it has ended. */
  onExchange?: ((report: ExchangeReport) => void) | undefined;
  /** Hears of every request that was turned away, as an `HttpRefusal`. */
  onRefusal?: ((error: Error) => void) | undefined;
}

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

/** What bounds the patience with a client that reads slowly. */
export type StreamLimits = Pick<HttpLimits, "maxQueuedBytes" | "stallTimeoutMs">;

const DEFAULTS: HttpLimits = {
  maxBodyBytes: 4 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  maxJsonDepth: DEFAULT_MAX_JSON_DEPTH,
  maxJsonNodes: DEFAULT_MAX_JSON_NODES,
  maxQueuedBytes: 1024 * 1024,
  maxTotalQueuedBytes: 128 * 1024 * 1024,
  stallTimeoutMs: 30_000,
  keepAliveMs: 15_000,
  shutdownGraceMs: 10_000,
};

/** @throws {SdkError} `invalid-argument` for a limit that is no number from 0. */
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
  const value = options[name] ?? DEFAULTS[name];
  if (value >= 0) return value;
  throw new SdkError("invalid-argument", `${name}: expected a number from 0, got ${value}`);
}
