/** The sender of a message, as the host that received it knows them. */
import { timerMs } from "../runtime/timers.js";
import type { AuthInfo } from "./auth-info.js";

/** The address of clients whose host reports none. They share one rate limit. */
export const UNKNOWN_ADDRESS = "unknown";

/** The sender of a request, as its host knows it. Handlers read it from `context.caller`. */
export interface Caller {
  /** Identifies the user, with the same string in every request. Undefined without authentication. */
  readonly principal?: string | undefined;
  /**
   * Network address of the client. Rate limits of clients without a principal count by it. A host behind a proxy reads it from
   * the proxy's headers. Hosts over HTTP and TCP set it; pipes and Unix sockets have none.
   */
  readonly address?: string | undefined;
  /** Claims of the access token. The scopes of tools, resources and prompts are checked against it. */
  readonly auth?: AuthInfo | undefined;
  /** Milliseconds since 1970 at which streams of the caller end. Requests in progress may finish. */
  readonly expiresAt?: number | undefined;
  /** The `WWW-Authenticate` header that asks the caller for these scopes. */
  readonly scopeChallenge?: ((scopes: readonly string[]) => string) | undefined;
  /** Further results of the host's authentication, for handlers. */
  readonly details?: unknown;
  /** The headers of the HTTP request that carried the message; names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Size of the message, for limits on requests in progress. */
  readonly messageBytes?: number | undefined;
  /** Closes the connection that waits for the answer. The client resumes over another one. */
  readonly closeStream?: (() => void) | undefined;
}

/** Whether the caller has these scopes. Pipes have no caller: their credentials come from the environment. */
export function holdsScopes(caller: Caller | undefined, scopes: readonly string[]): boolean {
  if (caller === undefined || scopes.length === 0) return true;
  return scopes.every((scope) => caller.auth?.scopes.includes(scope) === true);
}

/**
 * Calls back when the caller's credential expires, or immediately if it has expired. Returns a function that clears the timer.
 * A credential that lasts longer than 24 days, the longest timer, expires after 24 days.
 */
export function onCallerExpiry(caller: Caller | undefined, callback: () => void): () => void {
  const expiresAt = caller?.expiresAt;
  const timer =
    expiresAt === undefined ? undefined : setTimeout(callback, timerMs(Math.max(0, expiresAt - Date.now())));
  return () => clearTimeout(timer);
}
