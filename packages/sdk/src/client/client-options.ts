/** Options of a client, and their defaults. */
import { checkDuration, checkNumber } from "../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import type { SchemaLimits } from "../json-schema/index.js";
import type { ClientCapabilities } from "../protocol/capabilities.js";
import type { Implementation } from "../protocol/implementation.js";
import { isRevision, REVISIONS, type Revision } from "../protocol/revisions.js";
import { checkImplementation, IMPLEMENTATION_OPTIONS } from "../routing/check-implementation.js";
import type { DeclaredExtension, Extension } from "../routing/extension.js";
import type { RateLimitOptions } from "../routing/rate-limits.js";
import type { RateLimit } from "../runtime/token-bucket.js";
import type { JsonSchemaValidator } from "../schema/compile-schema.js";
import type { ClientTasks } from "../tasks/client-tasks.js";
import type { InputHandlers } from "./input-handlers.js";
import type { NegotiationResult } from "./negotiation.js";
import type { ReconnectOptions } from "./reconnect-attempts.js";
import type { ClientCacheOptions } from "./result-cache.js";

/** The name of a client, its handlers for questions of the server, and its limits. */
export interface ClientOptions extends Implementation, InputHandlers {
  /** Capabilities to declare besides those that the handlers and extensions imply. @defaultValue none */
  capabilities?: ClientCapabilities | undefined;
  /** Extensions to declare: an extension by itself, or with settings as `extension.onClient(…)`. @defaultValue none */
  extensions?: readonly (Extension | DeclaredExtension<"client">)[] | undefined;
  /**
   * 2025-11-25 only: run questions of the server as tasks where the server asks for that, by `receiveTasks()` of `parley-mcp/tasks`.
   * @defaultValue none: the client answers them as usual
   */
  tasks?: ((onError: (error: Error) => void) => ClientTasks) | undefined;
  /** Revisions to accept. The client tries modern ones first. @defaultValue all revisions */
  revisions?: readonly Revision[] | undefined;
  /**
   * Speak exactly this revision. The client uses a modern one from the first call on, without a probe. The client
   * requests a legacy one in the handshake, and the server may still choose an older one.
   * @defaultValue none: the client negotiates
   */
  revision?: Revision | undefined;
  /**
   * `client.negotiated` of an earlier connection to the same server. The client starts from it and sends no probe.
   * @defaultValue none
   */
  resumeFrom?: NegotiationResult | undefined;
  /** Reject calls to methods that the server did not advertise, without sending them. @defaultValue false */
  strictCapabilities?: boolean | undefined;
  /**
   * Check structured output against the tool's output schema. `"known"` checks tools that this client has listed.
   * `"always"` lists the tools first where needed. `"never"` does not check. For a tool that the client has forgotten (see
   * `maxKnownTools`), `"known"` does not check and `"always"` lists the tools again.
   * @defaultValue "known"
   */
  outputChecks?: "known" | "always" | "never" | undefined;
  /**
   * Listed tools that the client remembers for checking output and mirroring arguments. The client forgets the least recently
   * used or listed tool first, and reports that to `onError` once.
   * @defaultValue 10_000
   */
  maxKnownTools?: number | undefined;
  /**
   * Bytes that the client remembers of listed tools: output schemas, compiled ones included, and mirrored arguments. A tool
   * whose schema alone is larger fails its checks as `unusable-schema`.
   * @defaultValue 33_554_432
   */
  maxKnownToolBytes?: number | undefined;
  /**
   * Bytes of the list that `onToolsChanged` and its siblings collect with `refresh`. A longer list is reported to `onError`
   * as `too-large`, and the callback is not called.
   * @defaultValue 67_108_864
   */
  maxRefreshBytes?: number | undefined;
  /** Reject a request that is not answered within this time, unless the request has a timeout. @defaultValue 60_000 */
  timeoutMs?: number | undefined;
  /**
   * Treat a server that leaves the modern probe unanswered for this long as legacy. A client that accepts no legacy
   * revision waits for `timeoutMs` instead.
   * @defaultValue 5_000
   */
  probeTimeoutMs?: number | undefined;
  /**
   * Requests of a legacy server, and notifications, that the client's handlers process at a time. The client answers a further
   * request with 429, and drops and reports a further notification.
   * @defaultValue 64
   */
  maxInboundRequests?: number | undefined;
  /**
   * Rate of the server's questions, by method, in either era. In the legacy era the client answers a question above the rate
   * with 429; in the modern era the call that it belongs to rejects. `false` removes the limit of one method, or of all.
   * @defaultValue { "sampling/createMessage": { perSecond: 10, burst: 1_000 }, "elicitation/create": { perSecond: 10, burst: 1_000 } }
   */
  rateLimits?: RateLimitOptions | false | undefined;
  /**
   * Legacy only. Least time between two progress reports on one request of the server. The client always sends the last one.
   * @defaultValue none
   */
  progressIntervalMs?: number | undefined;
  /** Messages in one batch from the server. Only 2025-03-26 has batches. @defaultValue 100 */
  maxBatchItems?: number | undefined;
  /** Pages that the client reads of one list. @defaultValue 1_000 */
  maxPages?: number | undefined;
  /** Rounds of questions that the client answers in one call. @defaultValue 8 */
  maxInputRounds?: number | undefined;
  /**
   * Questions in one round of a call, or open at once in a task. A call whose server asks more rejects as `too-large`, before any
   * handler runs.
   * @defaultValue 64
   */
  maxInputRequests?: number | undefined;
  /**
   * Legacy only. Time to wait for a page that the user must visit before a call (-32042). The client shows the page through
   * `elicitUrl`, waits for the server to report that the user is done, and calls again. Without it, the call rejects; see
   * `requiredUrls`.
   * @defaultValue none
   */
  urlRetryMs?: number | undefined;
  /**
   * Legacy only. Called once per page, when the server reports that the user is done with a page that this client opened.
   * @defaultValue none
   */
  onElicitationComplete?: ((elicitationId: string) => void) | undefined;
  /**
   * Cache the lists and resources that the server marks as cacheable, while they are fresh.
   * @defaultValue false
   */
  cache?: boolean | ClientCacheOptions | undefined;
  /** Limits on the output schemas of a server. @defaultValue the defaults of `SchemaLimits` */
  schemaLimits?: SchemaLimits | undefined;
  /** Validates values against JSON Schemas. @defaultValue the built-in validator, which needs no `eval` */
  jsonSchemaValidator?: JsonSchemaValidator | undefined;
  /**
   * Called with every error that no call rejects with: late answers, malformed messages, failed handlers.
   * @defaultValue writes to the console
   */
  onError?: ((error: Error) => void) | undefined;
  /**
   * Open a lost connection or subscription again, if the target allows it. Pending requests reject. The client restores
   * subscriptions and reports that.
   * @defaultValue true
   */
  reconnect?: boolean | ReconnectOptions | undefined;
  /**
   * Legacy only. Interval of pings to the server. The client reports a ping that is not answered within the interval, treats the
   * connection as lost, and opens it again as `reconnect` says.
   * @defaultValue none
   */
  pingIntervalMs?: number | undefined;
  /** Called when the connection has ended for good, whichever side ended it. @defaultValue none */
  onClose?: (() => void) | undefined;
}

const OPTIONS: OptionTable<ClientOptions> = {
  ...IMPLEMENTATION_OPTIONS,
  elicit: "function",
  elicitUrl: "function",
  elicitUrlSchemes: "list",
  sample: "function",
  listRoots: "function",
  capabilities: "object",
  extensions: "list",
  tasks: "function",
  revisions: true,
  revision: true,
  resumeFrom: "object",
  strictCapabilities: "boolean",
  outputChecks: "string",
  maxKnownTools: true,
  maxKnownToolBytes: true,
  maxRefreshBytes: true,
  timeoutMs: true,
  probeTimeoutMs: true,
  maxInboundRequests: true,
  rateLimits: true,
  progressIntervalMs: true,
  maxBatchItems: true,
  maxPages: true,
  maxInputRounds: true,
  maxInputRequests: true,
  urlRetryMs: true,
  onElicitationComplete: "function",
  cache: true,
  schemaLimits: "object",
  jsonSchemaValidator: "object",
  onError: "function",
  reconnect: true,
  pingIntervalMs: true,
  onClose: "function",
};

/** Options of the target that are taken for options of the client. */
const MISPLACED: ReadonlyMap<string, string> = new Map(
  ["authorization", "dispatcher", "fetch", "headers", "http"].map((name) => [
    name,
    `pass it with the URL: Client.connect({ url, ${name} }, { name, version })`,
  ]),
);

/** The least value of each option that is a count. */
const MIN_VALUES = {
  maxBatchItems: 1,
  maxInboundRequests: 1,
  maxInputRequests: 1,
  maxInputRounds: 0,
  maxKnownToolBytes: 1,
  maxKnownTools: 1,
  maxPages: 1,
  maxRefreshBytes: 1,
} as const;

const DURATIONS = ["pingIntervalMs", "probeTimeoutMs", "progressIntervalMs", "timeoutMs", "urlRetryMs"] as const;

export const DEFAULT_MAX_INBOUND_REQUESTS = 64;
/** Bytes of the messages that a client's handlers process at a time, for transports that report sizes. */
export const MAX_INBOUND_BYTES = 33_554_432;
/** The bursts exceed the 512 questions of one call: 64 in each of 8 rounds. */
export const DEFAULT_INPUT_RATES: Readonly<Record<string, RateLimit>> = {
  "sampling/createMessage": { perSecond: 10, burst: 1_000 },
  "elicitation/create": { perSecond: 10, burst: 1_000 },
};
export const DEFAULT_MAX_PAGES = 1_000;
export const DEFAULT_MAX_INPUT_ROUNDS = 8;
export const DEFAULT_MAX_INPUT_REQUESTS = 64;

/** Checks names and kinds. @throws {SdkError} `invalid-argument` */
export function checkClientOptions(options: ClientOptions): void {
  checkImplementation(options, 'Client.connect(target, { name: "my-client", version: "1.0.0" }) or new Client({ … })');
  checkOptions("Client", options, OPTIONS, MISPLACED);
}

/** @throws {SdkError} `invalid-argument` for a count or a duration out of range. */
export function checkNumbers(options: ClientOptions): void {
  for (const [name, least] of Object.entries(MIN_VALUES)) {
    const value = options[name as keyof typeof MIN_VALUES];
    if (value !== undefined) checkNumber(name, value, least);
  }
  for (const name of DURATIONS) if (options[name] !== undefined) checkDuration(name, options[name]);
}

/** @throws {SdkError} `invalid-argument` for an unknown revision, or a value that is no list of revisions. */
export function checkRevisions({ revision, revisions }: { revision?: unknown; revisions?: unknown }): void {
  if (revision !== undefined && !isRevision(revision)) throw unknown("revision: expected one", revision);
  if (revisions === undefined) return;
  if (!Array.isArray(revisions)) throw unknown("revisions: expected an array", revisions);
  if (revisions.length === 0) throw new SdkError("invalid-argument", "revisions: expected at least one");
  for (const [index, one] of revisions.entries()) {
    if (!isRevision(one)) throw unknown(`revisions[${index}]: expected one`, one);
  }
}

function unknown(expected: string, given: unknown): SdkError {
  const got = typeof given === "string" ? JSON.stringify(given) : String(given);
  return new SdkError("invalid-argument", `${expected} of ${REVISIONS.join(", ")}; got ${got}`);
}
