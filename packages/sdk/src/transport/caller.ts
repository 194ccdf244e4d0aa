/** Who sent a message, as far as the host that received it can tell. */
import { timerMs } from "../runtime/timers.js";
import type { AuthInfo } from "./auth-info.js";

/** The address of every client whose host cannot tell: they share one rate, that of the server. */
export const UNKNOWN_ADDRESS = "unknown";

export interface Caller {
  /** One string per user, the same each time they come back. Undefined where nobody is authenticated. */
  readonly principal?: string | undefined;
  /**
   * Where the client connects from, as rates of clients without a principal count it. A host behind a proxy takes it from
   * what the proxy forwards. Hosts over HTTP and TCP fill it in; pipes and Unix sockets have none.
   */
  readonly address?: string | undefined;
  /** What the caller's access token says. With a caller, scopes of tools, resources and prompts are checked against it. */
  readonly auth?: AuthInfo | undefined;
  /** Milliseconds since 1970 at which streams of the caller end. Requests in progress may finish. */
  readonly expiresAt?: number | undefined;
  /** The `WWW-Authenticate` header that asks the caller for these scopes. */
  readonly scopeChallenge?: ((scopes: readonly string[]) => string) | undefined;
  /** What the host's authentication found out besides, for handlers to use. */
  readonly details?: unknown;
  /** The headers of the HTTP request that carried the message; names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The size of the message, for the limits on what is in progress. */
  readonly messageBytes?: number | undefined;
  /** Ends the connection that waits for the answer, where the client can come back for it over another one. */
  readonly closeStream?: (() => void) | undefined;
}

/** Whether a caller may do what needs these scopes. Pipes have no caller: their credentials come from the environment. */
export function holdsScopes(caller: Caller | undefined, scopes: readonly string[]): boolean {
  if (caller === undefined || scopes.length === 0) return true;
  return scopes.every((scope) => caller.auth?.scopes.includes(scope) === true);
}

/**
 * Calls back when the caller's credential expires, at once if it has. Returns what stops the timer. A credential that lasts
 * for more than 24 days counts as one that lasts for 24, the longest that a timer can.
 */
export function onCallerExpiry(caller: Caller | undefined, callback: () => void): () => void {
  const expiresAt = caller?.expiresAt;
  const timer =
    expiresAt === undefined ? undefined : setTimeout(callback, timerMs(Math.max(0, expiresAt - Date.now())));
  return () => clearTimeout(timer);
}
