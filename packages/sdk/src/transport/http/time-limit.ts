/** Ends a call when time is up. Nothing of the limit is left once it has ended. A call on hold has its full time afterwards. */
import { SdkError } from "../../errors/sdk-error.js";
import { timerMs } from "../../runtime/timers.js";
import type { CallHandle } from "./call-handle.js";

export interface TimeLimit {
  /** What it limited is over. */
  end(): void;
}

/** `late` is the message of the `request-timeout` error that the call ends with. */
export function timeLimit(ms: number, late: string, handle: CallHandle): TimeLimit {
  const start = () => setTimeout(() => handle.end(new SdkError("request-timeout", late)), timerMs(ms));
  let timer = start();
  let holds = 0;
  let hasEnded = false;
  const release = () => {
    holds -= 1;
    if (holds === 0 && !hasEnded) timer = start();
  };
  handle.onHold((until) => {
    holds += 1;
    clearTimeout(timer);
    until.then(release, release);
  });
  return {
    end: () => {
      hasEnded = true;
      clearTimeout(timer);
    },
  };
}
