/** Ends a call when time is up. Nothing of the limit is left once it has ended. */
import { SdkError } from "../../errors/sdk-error.js";
import { timerMs } from "../timer-limit.js";
import type { CallHandle } from "./call-handle.js";

export interface TimeLimit {
  /** What it limited is over. */
  end(): void;
}

/** `late` is the message of the `request-timeout` error that the call ends with. */
export function timeLimit(ms: number, late: string, handle: CallHandle): TimeLimit {
  const timer = setTimeout(() => handle.end(new SdkError("request-timeout", late)), timerMs(ms));
  return { end: () => clearTimeout(timer) };
}
