/** Aborts a call after a time. A hold suspends the limit, and the full time starts again when the hold ends. */
import { SdkError } from "../../errors/sdk-error.js";
import { timerMs } from "../../runtime/timers.js";
import type { CallController } from "./call-controller.js";

export interface TimeLimit {
  /** Clears the timer. */
  end(): void;
}

/** `late` is the message of the `request-timeout` error. */
export function timeLimit(ms: number, late: string, controller: CallController): TimeLimit {
  const start = () => setTimeout(() => controller.abort(new SdkError("request-timeout", late)), timerMs(ms));
  let timer = start();
  let holds = 0;
  let hasEnded = false;
  const release = () => {
    holds -= 1;
    if (holds === 0 && !hasEnded) timer = start();
  };
  controller.onHold((until) => {
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
