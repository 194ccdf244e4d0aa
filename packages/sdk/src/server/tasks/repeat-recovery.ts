/** Repeats the recovery of tasks while a server runs: one recovery at a time, and one report per outage of the store. */
import { SdkError } from "../../errors/sdk-error.js";
import type { ErrorCallback } from "../../runtime/error-callback.js";

/** Returns a function that stops it. Does not keep the process alive. */
export function repeatRecovery(recover: () => Promise<unknown>, intervalMs: number, report: ErrorCallback): () => void {
  let isRecovering = false;
  let isFailing = false;
  const recoverOnce = async () => {
    if (isRecovering) return;
    isRecovering = true;
    try {
      await recover();
      isFailing = false;
    } catch (cause) {
      if (!isFailing) report(notRecovered(cause));
      isFailing = true;
    } finally {
      isRecovering = false;
    }
  };
  const timer = setInterval(() => void recoverOnce(), intervalMs);
  // Browsers and workerd have no `unref`.
  timer.unref?.();
  return () => clearInterval(timer);
}

function notRecovered(cause: unknown): SdkError {
  return new SdkError("handler-failed", "Tasks of ended processes could not be recovered, and are tried again", {
    cause,
  });
}
