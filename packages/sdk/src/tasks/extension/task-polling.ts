/** Following a task in both eras: the interval of polls, waits, progress, cancelling, and the error of a cancelled task. */
import type { ProgressReport } from "../../dispatch/dispatcher.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { ExtensionCall } from "../../routing/result-type.js";
import { waitMs } from "../../runtime/timers.js";

/** The interval of a server that suggests none. */
const DEFAULT_POLL_INTERVAL_MS = 1_000;
const MIN_POLL_INTERVAL_MS = 50;
const MAX_POLL_INTERVAL_MS = 60_000;
/** A wrong id of a server is not repeated beyond it. */
const MAX_SHOWN_ID = 64;

/** Milliseconds between two polls, as the server suggests within bounds. */
export function pollIntervalOf(suggestedMs: number = DEFAULT_POLL_INTERVAL_MS): number {
  return Math.min(Math.max(suggestedMs, MIN_POLL_INTERVAL_MS), MAX_POLL_INTERVAL_MS);
}

/** Resolves after `ms`, as soon as the event resolves, or as soon as the signal aborts. The event must not reject. */
export async function waitFor(ms: number, signal: AbortSignal, event: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  await Promise.race([waitMs(ms, ended.signal), event]);
  end();
  signal.removeEventListener("abort", end);
}

/** Reports each new status message of a task as progress. A task has no numbers, so the messages are counted. */
export class StatusReports {
  readonly #onProgress: ((progress: ProgressReport) => void) | undefined;
  #count = 0;
  #last: string | undefined;

  constructor(onProgress: ((progress: ProgressReport) => void) | undefined) {
    this.#onProgress = onProgress;
  }

  report(message: string | undefined): void {
    if (message === undefined || message === this.#last) return;
    this.#last = message;
    this.#count += 1;
    this.#onProgress?.({ progress: this.#count, message });
  }
}

/** Cancels a task whose caller gives up. The caller gets its own reason, whether or not the server could be told. */
export async function cancelQuietly(taskId: string, { request }: Pick<ExtensionCall, "request">): Promise<void> {
  await request("tasks/cancel", { taskId }, { ignoresAbort: true }).catch(() => undefined);
}

export function cancelledTask(taskId: string, statusMessage: string | undefined): SdkError {
  return new SdkError(
    "request-aborted",
    `The task ${taskId} was cancelled${statusMessage ? `: ${statusMessage}` : ""}`,
  );
}

/** @throws {SdkError} `invalid-result` for the state of another task. */
export function checkTaskId(expected: string, { taskId }: { readonly taskId: string }): void {
  if (taskId === expected) return;
  throw new SdkError(
    "invalid-result",
    `tasks/get: the server answered for task ${JSON.stringify(taskId.slice(0, MAX_SHOWN_ID))}, not ${expected}`,
  );
}
