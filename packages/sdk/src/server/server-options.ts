/** Options of a server, their defaults and their checks. */
import { DEFAULT_MAX_BATCH_ITEMS } from "../dispatch/dispatcher.js";
import { checkDuration, checkLimit, checkWholeNumber } from "../errors/option-checks.js";
import { checkOptions, describeKind, type OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";

import type { SchemaLimits } from "../json-schema/index.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import type { CacheHint } from "../protocol/message-base.js";
import type { Revision } from "../protocol/revisions.js";
import { checkImplementation, IMPLEMENTATION_OPTIONS } from "../routing/check-implementation.js";
import type { DeclaredExtension, Extension } from "../routing/extension.js";
import type { RateLimitOptions } from "../routing/rate-limits.js";
import type { RateStore } from "../routing/rate-store.js";
import type { RateLimit } from "../runtime/token-bucket.js";
import { checkSchemaLimits, type JsonSchemaValidator } from "../schema/compile-schema.js";
import type { ChangeBus } from "./changes/change-bus.js";
import { checkUrlElicitationLimits, type UrlElicitationLimits } from "./changes/started-elicitations.js";
import type { StateSealOptions } from "./input/state-seal.js";
import type { ScopedLists } from "./list-filter.js";
import { checkCacheHint } from "./registration-checks.js";
import type { ServerLimitOptions } from "./server-limits.js";
import { notServeTasks } from "./tasks/missing-tasks.js";
import type { ServerTasks, TaskHost } from "./tasks/server-tasks.js";

/** The name, the capabilities, the stores and the limits of a server. */
export interface McpServerOptions extends Implementation {
  /** Instructions for the model on how to use this server. @defaultValue none */
  instructions?: string | undefined;
  /** Revisions to speak. @defaultValue all revisions */
  revisions?: readonly Revision[] | undefined;
  /** Capabilities to declare besides those that the registrations imply. @defaultValue none */
  capabilities?: ServerCapabilities | undefined;
  /** Extensions to declare: an extension by itself, or with settings as `extension.onServer(…)`. @defaultValue none */
  extensions?: readonly (Extension | DeclaredExtension<"server">)[] | undefined;
  /** Items on one page of a list. @defaultValue 1_000 */
  pageSize?: number | undefined;
  /** Cache hint of results, unless a resource has its own. @defaultValue { ttlMs: 0, cacheScope: "private" } */
  cache?: CacheHint | undefined;
  /**
   * `"any"` accepts tool names that the specification advises against, such as the names that a gateway forwards.
   * @defaultValue "strict"
   */
  toolNames?: "strict" | "any" | undefined;
  /**
   * Show callers the message of every error that a tool throws. Such messages may reveal paths, queries and hosts. By default
   * callers see only the message of a `ToolError`. Messages of an `SdkError`, and of a `ProtocolError` that another server sent,
   * are never shown. `onError` gets the error either way.
   * @defaultValue false
   */
  exposeToolErrors?: boolean | undefined;
  /**
   * Encryption of the state of requests that ask their client. Processes that serve one endpoint need the same keys.
   * @defaultValue a random key of this process
   */
  requestState?: StateSealOptions | undefined;
  /**
   * Questions that a handler asks at the same time: in one round in the modern era, unanswered ones in the legacy era. A
   * handler that asks more fails.
   * @defaultValue 64
   */
  maxInputRequests?: number | undefined;
  /**
   * Reject a question to a person or a model that a legacy client does not answer for this long. A `timeoutMs` of the question
   * overrides it. Requests for roots use `timeoutMs` of the server.
   * @defaultValue 600_000
   */
  questionTimeoutMs?: number | undefined;
  /**
   * Schemes of the pages that handlers may ask a user to open, without a colon. Pages of loopback hosts may also be `http`.
   * @defaultValue ["https"]
   */
  elicitUrlSchemes?: readonly string[] | undefined;
  /**
   * Run tools with the option `task` as tasks, by `serveTasks()` of `parley-mcp/tasks`.
   * @defaultValue a tool with the option `task` is refused
   */
  tasks?: ((host: TaskHost) => ServerTasks) | undefined;
  /** Limits on plain JSON Schemas. @defaultValue the defaults of its members */
  schemaLimits?: SchemaLimits | undefined;
  /** Validates values against plain JSON Schemas. @defaultValue the built-in validator, which needs no `eval` */
  jsonSchemaValidator?: JsonSchemaValidator | undefined;
  /** Carries changes between the processes that serve one endpoint. @defaultValue a bus of this process alone */
  changeBus?: ChangeBus | undefined;
  /**
   * Open `subscriptions/listen` streams of the server. At the limit, the server ends the oldest stream of the principal with
   * the most streams. The principal of the new stream must have at least two fewer.
   * @defaultValue 1_024
   */
  maxListenStreams?: number | undefined;
  /**
   * Resources that one listen stream or one legacy connection subscribes to. The topics of extensions' listen filters count too.
   * @defaultValue 1_024
   */
  maxSubscribedResources?: number | undefined;
  /**
   * Whether lists contain tools, resources and prompts whose scopes the caller lacks. `show` lets clients ask their user for
   * more scopes. `filter` leaves these items out, and makes lists private to their caller.
   * @defaultValue "show"
   */
  scopedLists?: ScopedLists | undefined;
  /** Limits on requests in progress and on the bytes retained for clients. @defaultValue the defaults of its members */
  limits?: ServerLimitOptions | undefined;
  /**
   * How often one client may call a method, by method. `false` lifts the limit of one method, or of all. A client is
   * identified by its principal. Without one, by its address over HTTP, and by its connection elsewhere.
   * @defaultValue { "tools/call": { perSecond: 10_000, burst: 10_000 }, "completion/complete": { perSecond: 100, burst: 1_000 } }
   */
  rateLimits?: RateLimitOptions | false | undefined;
  /**
   * Counts the rates of principals and addresses for all processes that serve one endpoint. Each process takes a tenth of a client's
   * `burst` from the store, and asks again when it is used up. While the store fails, each process counts by itself.
   * @defaultValue each process counts by itself
   */
  rateStore?: RateStore | undefined;
  /** Limits on the pages that a legacy client was asked to open. @defaultValue the defaults of its members */
  urlElicitations?: UrlElicitationLimits | undefined;
  /**
   * Least time between two progress reports of one request. The server always sends the last one.
   * @defaultValue none
   */
  progressIntervalMs?: number | undefined;
  /**
   * Log messages that one request sends per second. The server drops the rest, and reports their number before the answer.
   * @defaultValue 100
   */
  maxLogMessagesPerSecond?: number | undefined;
  /** Messages in one batch from a client. Only 2025-03-26 has batches. @defaultValue 100 */
  maxBatchItems?: number | undefined;
  /**
   * Reject a request of the server that is not answered for this long. A `timeoutMs` of the request overrides it.
   * @defaultValue 60_000
   */
  timeoutMs?: number | undefined;
  /**
   * Runs once before the first request is served, e.g. to open a database. Requests wait for it. If it fails, hosts do not start.
   * @defaultValue none
   */
  onStart?: (() => unknown) | undefined;
  /**
   * Runs once after the last host of the server has closed, e.g. to close a database. The `close` of that host waits for it,
   * up to the grace of the host. A hook that takes longer is reported to `onError`.
   * @defaultValue none
   */
  onClose?: (() => unknown) | undefined;
  /**
   * Called with every error that no caller receives: crashed handlers, malformed messages.
   * @defaultValue writes to the console
   */
  onError?: ((error: Error) => void) | undefined;
}

const OPTIONS: OptionTable<McpServerOptions> = {
  ...IMPLEMENTATION_OPTIONS,
  instructions: "string",
  tasks: true,
  revisions: "list",
  capabilities: "object",
  extensions: "list",
  pageSize: true,
  cache: "object",
  toolNames: "string",
  exposeToolErrors: "boolean",
  requestState: "object",
  maxInputRequests: true,
  questionTimeoutMs: true,
  elicitUrlSchemes: "list",
  schemaLimits: "object",
  jsonSchemaValidator: "object",
  changeBus: "object",
  maxListenStreams: true,
  maxSubscribedResources: true,
  scopedLists: "string",
  limits: "object",
  rateLimits: true,
  rateStore: "object",
  urlElicitations: "object",
  progressIntervalMs: true,
  maxLogMessagesPerSecond: true,
  maxBatchItems: true,
  timeoutMs: true,
  onStart: "function",
  onClose: "function",
  onError: "function",
};

export const DEFAULT_MAX_LOG_MESSAGES_PER_SECOND = 100;
export const DEFAULT_MAX_LISTEN_STREAMS = 1_024;
export const DEFAULT_MAX_SUBSCRIBED_RESOURCES = 1_024;
export const DEFAULT_PAGE_SIZE = 1_000;
export const DEFAULT_PAGE_SCHEMES: readonly string[] = ["https"];
export const DEFAULT_CACHE: Required<CacheHint> = { ttlMs: 0, cacheScope: "private" };
/** High enough for any user, low enough that one runaway loop does not occupy the server. */
export const DEFAULT_CALL_RATES: Readonly<Record<string, RateLimit>> = {
  "tools/call": { perSecond: 10_000, burst: 10_000 },
  "completion/complete": { perSecond: 100, burst: 1_000 },
};

/** Checks the options that are not checked where they are used. @throws {SdkError} `invalid-argument` */
export function checkServerOptions(options: McpServerOptions): void {
  checkImplementation(options, 'new McpServer({ name: "my-server", version: "1.0.0" })');
  checkOptions("McpServer", options, OPTIONS);
  const {
    pageSize = DEFAULT_PAGE_SIZE,
    maxBatchItems = DEFAULT_MAX_BATCH_ITEMS,
    maxLogMessagesPerSecond = DEFAULT_MAX_LOG_MESSAGES_PER_SECOND,
  } = options;
  checkWholeNumber("pageSize", pageSize, 1);
  checkLimit("maxBatchItems", maxBatchItems);
  checkLimit("maxLogMessagesPerSecond", maxLogMessagesPerSecond);
  if (options.tasks !== undefined && typeof options.tasks !== "function")
    throw notServeTasks(describeKind(options.tasks));
  if (options.revisions?.length === 0) throw new SdkError("invalid-argument", "revisions: expected at least one");
  checkCacheHint(options.cache, "server");
  checkUrlElicitationLimits(options.urlElicitations ?? {});
  if (options.progressIntervalMs !== undefined) checkDuration("progressIntervalMs", options.progressIntervalMs);
  if (options.timeoutMs !== undefined) checkDuration("timeoutMs", options.timeoutMs);
  checkSchemaLimits(options.schemaLimits);
}
