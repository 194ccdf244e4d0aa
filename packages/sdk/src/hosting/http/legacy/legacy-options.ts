/** What can be set about serving legacy clients over HTTP, with the defaults of a careful person. */
import { checkDuration } from "../../../dispatch/deadline.js";
import { SdkError } from "../../../errors/sdk-error.js";
import type { EventStore } from "./event-store.js";
import type { SessionStore } from "./session-store.js";

/** A session as hooks see it. */
export interface SessionInfo {
  readonly id: string;
  readonly principal?: string | undefined;
}

/** `evicted`: the limit was reached and this session had been idle the longest. */
export type SessionEnd = "deleted" | "idle" | "evicted" | "shutdown";

export interface SsePaths {
  /** Where clients open the stream. Default `/sse`. */
  readonly path?: string | undefined;
  /** Where clients post messages, as they see it. Default `/messages`. */
  readonly messagesPath?: string | undefined;
}

export interface LegacyOptions {
  /** Keep no sessions: every POST stands alone, and the server cannot ask its clients anything. Default false. */
  readonly stateless?: boolean | undefined;
  /** Answer with plain JSON alone, never with a stream: no progress, and no questions to clients. Default false. */
  readonly jsonResponses?: boolean | undefined;
  /** Serve the HTTP+SSE transport of 2024-11-05 as well. Default false. */
  readonly sse?: boolean | SsePaths | undefined;
  /** How many sessions there may be. At the limit the longest idle one ends; if none is idle, 503. Default 10,000. */
  readonly maxSessions?: number | undefined;
  /** How long a session lasts with no request running and no stream open. Default 30 minutes. */
  readonly sessionIdleMs?: number | undefined;
  /** Keeps sessions where other processes can take them up. Default: they live in this one. */
  readonly sessionStore?: SessionStore | undefined;
  /** Makes streams resumable. Default: what is sent over a broken connection is lost. */
  readonly eventStore?: EventStore | undefined;
  /** How long clients are told to wait before they connect again to a resumable stream. Default 1 second. */
  readonly retryMs?: number | undefined;
  /** How often something is sent over a quiet stream, so that nobody in between takes it for dead. Default 15 seconds. */
  readonly keepAliveMs?: number | undefined;
  readonly onSessionOpened?: ((session: SessionInfo) => void) | undefined;
  readonly onSessionClosed?: ((session: SessionInfo, end: SessionEnd) => void) | undefined;
}

export interface LegacySettings extends LegacyOptions {
  readonly stateless: boolean;
  readonly jsonResponses: boolean;
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
  readonly retryMs: number;
  readonly keepAliveMs: number;
}

/** @throws {SdkError} `invalid-argument` for a limit out of range, or stores that a stateless server has no use for. */
export function settleLegacyOptions(options: LegacyOptions): LegacySettings {
  const { stateless = false, jsonResponses = false, maxSessions = 10_000, sessionIdleMs = 1_800_000 } = options;
  const { retryMs = 1_000, keepAliveMs = 15_000 } = options;
  if (stateless && (options.eventStore || options.sessionStore)) {
    throw new SdkError("invalid-argument", "stateless: a server without sessions has nothing to put into a store");
  }
  if (!(maxSessions >= 1)) {
    throw new SdkError("invalid-argument", `maxSessions: expected a number from 1, got ${maxSessions}`);
  }
  checkDuration("sessionIdleMs", sessionIdleMs);
  checkDuration("retryMs", retryMs);
  checkDuration("keepAliveMs", keepAliveMs);
  return { ...options, stateless, jsonResponses, maxSessions, sessionIdleMs, retryMs, keepAliveMs };
}
