/** Ends what must not outlive the credential of its caller. */

import { timerMs } from "../runtime/timers.js";
import type { Caller } from "./caller.js";

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
