/** A signal that aborts when time is up. Nothing of the limit is left once it has ended. */
import { SdkError } from "../../errors/sdk-error.js";
import { timerMs } from "../timer-limit.js";

export interface TimeLimit {
  readonly signal: AbortSignal;
  /** What it limited is over. */
  end(): void;
}

/** `late` is the message of the `request-timeout` error that the signal aborts with. */
export function timeLimit(ms: number, late: string, controller: AbortController): TimeLimit {
  const timer = setTimeout(() => controller.abort(new SdkError("request-timeout", late)), timerMs(ms));
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}
