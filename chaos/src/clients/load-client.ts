/** A client under load, as `load.ts` sees it. Each kind of client has a module of its own. */
import type { Tool, Verdict } from "../history.js";

export interface LoadClient {
  /** Tools that this client calls; not all kinds know tasks or states. */
  readonly tools: readonly Tool[];
  /** Resolves with the structured content of the result. */
  call(tool: Tool, call: string, options: CallOptions): Promise<unknown>;
  /** Calls `onHeard` with the topic of each change, and with every topic if changes were missed. */
  watch?(topics: readonly string[], onHeard: (topic: string) => void): Promise<void>;
  verdictOf(error: unknown): Verdict;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** A progress report: its number, and the call that its message names. */
  readonly onEvent: (number: number, of: string) => void;
}

/**
 * `onAnswerAgain` is called with the call of an answer that the client does not wait for. Our client does not name the call. `onStream` is
 * called with the number of each event of the GET stream, and with undefined when the client opens it without an event to resume after.
 */
export type Connect = (
  url: string,
  name: string,
  onAnswerAgain: (call: string) => void,
  onStream?: (number: number | undefined) => void,
) => Promise<LoadClient>;

/** Reports the call of an answer that an official client did not wait for. It puts the answer into an error. */
export function reportAnswer({ message }: Error, onAnswerAgain: (call: string) => void): void {
  const [, call] = /unknown message ID.*"structuredContent":\{"call":"([^"]+)"/.exec(message) ?? [];
  if (call !== undefined) onAnswerAgain(call);
}

/** Every client waits this long for an answer. */
export const CALL_TIMEOUT_MS = 15_000;

/** The result of a tool that failed is no answer. */
export class ToolFailed extends Error {}

interface ToolResult {
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
  readonly content?: unknown;
}

/** @throws {ToolFailed} */
export function contentOf(result: object): unknown {
  // Nothing is trusted but these members.
  const { isError, content, structuredContent } = result as ToolResult;
  if (isError === true) throw new ToolFailed(JSON.stringify(content));
  return structuredContent;
}

/** Statuses by which a server or a proxy refuses a request before it is served. */
const REFUSING: ReadonlySet<unknown> = new Set([429, 503]);
/** Statuses of a proxy that has passed the request on. */
const PASSED_ON: ReadonlySet<unknown> = new Set([502, 504]);

/** The status of a session that the server does not know. */
const UNKNOWN_SESSION = 404;

export function verdictOfStatus(status: unknown): Verdict {
  if (status === UNKNOWN_SESSION) return "session lost";
  if (REFUSING.has(status)) return "not served";
  return PASSED_ON.has(status) ? "may be served" : "unclear";
}

/** Error 429 says when to try again. -32603 says that a handler was begun. */
export function verdictOfCode(code: number, data: unknown): Verdict {
  const isRefusal = code === 429 && typeof data === "object" && data !== null && "retryAfterMs" in data;
  if (isRefusal) return "not served";
  return code === -32603 ? "may be served" : "unclear";
}
