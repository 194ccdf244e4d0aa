/** Options for serving legacy clients over HTTP, and their defaults. */
import { checkDuration, checkLimit, checkMethods } from "../../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../../errors/option-table.js";
import { SdkError } from "../../../errors/sdk-error.js";
import type { SessionChannel } from "./sessions/session-channel.js";
import type { SessionStore } from "./sessions/session-store.js";
import type { EventStore } from "./streams/event-store.js";

/** A session as hooks see it. */
export interface SessionInfo {
  readonly id: string;
  readonly principal?: string | undefined;
}

/** `evicted`: the session made room for another one, at `maxSessions` or at the byte limit of the server. */
export type SessionEnd = "deleted" | "idle" | "evicted" | "shutdown";

/** @deprecated since 2025-03-26 (SEP-2596): use Streamable HTTP. Earliest removal: three months after SEP-2596 became final. */
export interface SsePaths {
  /** Path at which clients open the stream. @defaultValue "/sse" */
  readonly path?: string | undefined;
  /** Path to which clients post messages, as clients see it. @defaultValue "/messages" */
  readonly messagesPath?: string | undefined;
}

/** Options for legacy clients over HTTP: sessions, stores, streams, and limits. */
export interface LegacyOptions {
  /** Keep no sessions. Each POST is served by itself, and handlers cannot ask the client. @defaultValue false */
  readonly stateless?: boolean | undefined;
  /** Answer with plain JSON, never with a stream. Progress is dropped, and handlers cannot ask the client. @defaultValue false */
  readonly jsonResponses?: boolean | undefined;
  /**
   * Also serve the HTTP+SSE transport of 2024-11-05.
   * @defaultValue false
   * @deprecated since 2025-03-26 (SEP-2596): use Streamable HTTP. Earliest removal: three months after SEP-2596 became final.
   */
  readonly sse?: boolean | SsePaths | undefined;
  /**
   * Sessions of this endpoint. At the limit, a session of the principal with the most sessions ends, the longest idle one
   * first. If none can end, `initialize` is answered 503.
   * @defaultValue 10_000
   */
  readonly maxSessions?: number | undefined;
  /** End a session that has no request in progress and no stream open for this long. @defaultValue 1_800_000 */
  readonly sessionIdleMs?: number | undefined;
  /**
   * The first four hexadecimal digits of session ids. A load balancer or a `sessionRelay` finds the process of a session by them.
   * @defaultValue none: ids are random
   */
  readonly sessionIdPrefix?: string | undefined;
  /** Stores sessions, so that other processes can resume them. @defaultValue none: sessions live in this process */
  readonly sessionStore?: SessionStore | undefined;
  /**
   * Lets any process serve any request of a session, together with a `sessionStore` and an `eventStore` that the processes share.
   * @defaultValue none: the requests of a session must go to one process
   */
  readonly sessionChannel?: SessionChannel | undefined;
  /** Makes streams resumable. @defaultValue none: events sent over a broken connection are lost */
  readonly eventStore?: EventStore | undefined;
  /** Time that clients wait before they resume a stream (`retry:`). @defaultValue 1_000 */
  readonly retryMs?: number | undefined;
  /** @defaultValue none */
  readonly onSessionOpened?: ((session: SessionInfo) => void) | undefined;
  /** @defaultValue none */
  readonly onSessionClosed?: ((session: SessionInfo, end: SessionEnd) => void) | undefined;
}

const OPTIONS: OptionTable<LegacyOptions> = {
  stateless: "boolean",
  jsonResponses: "boolean",
  sse: true,
  maxSessions: true,
  sessionIdleMs: true,
  sessionIdPrefix: "string",
  sessionStore: "object",
  sessionChannel: "object",
  eventStore: "object",
  retryMs: true,
  onSessionOpened: "function",
  onSessionClosed: "function",
};

const STORES = [
  { name: "sessionStore", expected: "a SessionStore", methods: ["get", "set", "delete"] },
  { name: "sessionChannel", expected: "a SessionChannel", methods: ["publish", "subscribe"] },
  { name: "eventStore", expected: "an EventStore", methods: ["append", "read", "deleteStream", "deleteSession"] },
] as const;

const SSE_OPTIONS: OptionTable<SsePaths> = { path: "string", messagesPath: "string" };

/** Checks names and kinds, and the methods of stores. @throws {SdkError} `invalid-argument` */
export function checkLegacyOptions(options: LegacyOptions): void {
  checkOptions("legacy", options, OPTIONS);
  for (const { name, expected, methods } of STORES) {
    if (options[name] !== undefined) checkMethods(`legacy: ${name}`, options[name], expected, methods);
  }
  const { sse = false } = options;
  if (typeof sse !== "boolean") checkOptions("legacy: sse", sse, SSE_OPTIONS);
}

export interface LegacySettings extends LegacyOptions {
  readonly stateless: boolean;
  readonly jsonResponses: boolean;
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
  readonly retryMs: number;
  readonly keepAliveMs: number;
}

/**
 * Applies the defaults. `keepAliveMs` is an option of the whole endpoint.
 * @throws {SdkError} `invalid-argument` for a limit out of range, a store with `stateless`, or a channel without both stores.
 */
export function settleLegacyOptions(options: LegacyOptions, keepAliveMs: number): LegacySettings {
  const { stateless = false, jsonResponses = false, maxSessions = 10_000, sessionIdleMs = 1_800_000 } = options;
  const { retryMs = 1_000 } = options;
  if (stateless && (options.eventStore || options.sessionStore || options.sessionChannel)) {
    throw new SdkError("invalid-argument", "stateless: a server without sessions has nothing to put into a store");
  }
  checkChannel(options);
  if (!/^([0-9a-f]{4})?$/.test(options.sessionIdPrefix ?? "")) {
    throw new SdkError("invalid-argument", 'sessionIdPrefix: expected four hexadecimal digits, such as "00a1"');
  }
  checkLimit("maxSessions", maxSessions);
  checkDuration("sessionIdleMs", sessionIdleMs);
  checkDuration("retryMs", retryMs);
  checkDuration("keepAliveMs", keepAliveMs);
  return { ...options, stateless, jsonResponses, maxSessions, sessionIdleMs, retryMs, keepAliveMs };
}

/** A channel without the stores would let processes disagree on a session. */
function checkChannel({ sessionChannel, sessionStore, eventStore }: LegacyOptions): void {
  if (!sessionChannel) return;
  if (typeof sessionChannel.shareSessions !== "function") {
    const advice = "import it from parley-mcp/node or parley-mcp/web, and make it a member of the channel";
    throw new SdkError("invalid-argument", `sessionChannel: it needs the function shareSessions; ${advice}`);
  }
  const missing = !sessionStore ? "sessionStore" : "eventStore";
  if (!sessionStore || !eventStore) {
    const advice = `pass the ${missing} that all processes share, or leave sessionChannel out and route by Mcp-Session-Id`;
    throw new SdkError("invalid-argument", `sessionChannel: it needs a sessionStore and an eventStore; ${advice}`);
  }
  const needed = [
    { name: "sessionStore", method: "replace", found: sessionStore.replace, risk: "overwrite each other's changes" },
    { name: "eventStore", method: "claim", found: eventStore.claim, risk: "write the same stream" },
  ];
  for (const { name, method, found, risk } of needed) {
    if (typeof found === "function") continue;
    const advice = `without it, two processes could ${risk}`;
    throw new SdkError("invalid-argument", `sessionChannel: the ${name} needs the method ${method}; ${advice}`);
  }
}
