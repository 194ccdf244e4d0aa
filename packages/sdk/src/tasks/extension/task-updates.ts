/**
 * The states of one task of the extension, as a client learns of them. The client polls. Once a poll has found the task unfinished, it
 * also listens, and polls seldom as long as the listen stream lasts.
 */
import type { CallSubscription, ExtensionCall } from "../../routing/result-type.js";
import { isTerminal } from "../task-record.js";
import { repeatPoll } from "./poll-retries.js";
import { taskIds } from "./task-ids.js";
import type { DetailedTask } from "./task-messages.js";
import { getTask } from "./task-methods.js";
import { checkTaskId, pollIntervalOf, waitFor } from "./task-polling.js";

/** The least interval of polls while a listen stream is open. A stream may lose a notification. */
const LISTENING_POLL_INTERVAL_MS = 30_000;

/** The part of a client's call that learning of a task needs. */
export type TaskUpdateCall = Pick<ExtensionCall, "request" | "listen">;

type Change = Parameters<typeof taskIds.read>[0];

/** An open listen stream for the task. */
interface TaskStream {
  readonly subscription: CallSubscription;
  readonly changes: AsyncIterator<Change>;
  /** The next change. Resolves with undefined if the stream fails. */
  next: Promise<IteratorResult<Change> | undefined>;
  /** Whether a poll has found the changes of the time before the stream was open. */
  isCurrent: boolean;
}

export class TaskUpdates {
  readonly #taskId: string;
  readonly #call: TaskUpdateCall;
  readonly #signal: AbortSignal;
  /** Resolves once the stream is open. Undefined before the first poll. */
  #opened: Promise<void> | undefined;
  #stream: TaskStream | undefined;
  /** The time of the last poll. */
  #polledAt = Date.now();
  #isClosed = false;

  constructor(taskId: string, call: TaskUpdateCall, signal: AbortSignal) {
    this.#taskId = taskId;
    this.#call = call;
    this.#signal = signal;
  }

  /** The next state that the server shows. @throws the reason of the signal */
  async next({ pollIntervalMs }: DetailedTask): Promise<DetailedTask> {
    const ms = pollIntervalOf(pollIntervalMs);
    const stream = this.#stream;
    let heard: DetailedTask | undefined;
    if (stream?.isCurrent) heard = await this.#hear(stream, ms);
    else await waitFor(ms, this.#signal, this.#opened ?? never());
    this.#signal.throwIfAborted();
    return heard ?? this.#poll();
  }

  /** Ends the listen stream. */
  close(): void {
    this.#isClosed = true;
    this.#stopListening();
  }

  async #poll(): Promise<DetailedTask> {
    if (this.#stream) this.#stream.isCurrent = true;
    this.#polledAt = Date.now();
    const poll = () => this.#call.request(getTask, { taskId: this.#taskId }, { signal: this.#signal });
    // The method's schema has passed.
    const task = (await repeatPoll(poll, this.#signal)) as unknown as DetailedTask;
    checkTaskId(this.#taskId, task);
    if (!isTerminal(task)) this.#opened ??= this.#listen();
    return task;
  }

  /**
   * Waits for a notification of the task. Undefined if it is time to poll, or if notifications may have been lost. States of other
   * tasks are ignored, so that no notification makes the client poll more often than its interval.
   */
  async #hear(stream: TaskStream, intervalMs: number): Promise<DetailedTask | undefined> {
    let pollAt = Date.now() + Math.max(intervalMs, LISTENING_POLL_INTERVAL_MS);
    do {
      const arrived = stream.next.then((next) => ({ next }));
      const heard = await Promise.race([arrived, waitFor(pollAt - Date.now(), this.#signal, arrived)]);
      if (!heard) return undefined;
      if (!heard.next || heard.next.done) {
        this.#stopListening();
        return undefined;
      }
      stream.next = nextOf(stream.changes);
      // The notification's schema has passed.
      const state = taskIds.read(heard.next.value) as unknown as DetailedTask | undefined;
      if (state?.taskId === this.#taskId) return state;
      if (state === undefined) pollAt = Math.min(pollAt, this.#polledAt + intervalMs);
    } while (Date.now() < pollAt && !this.#signal.aborted);
    return undefined;
  }

  /** Opens a listen stream for the task. Without one, polls go on, and the promise stays pending. */
  async #listen(): Promise<void> {
    // A server that refuses the stream still answers polls.
    const subscription = await this.#call.listen([taskIds.of([this.#taskId])]).catch(() => undefined);
    if (!subscription) return never();
    // The filter's schema has passed.
    const honored = (taskIds.honoredIn(subscription.honored) ?? []) as readonly string[];
    const changes = subscription[Symbol.asyncIterator]();
    this.#stream = { subscription, changes, next: nextOf(changes), isCurrent: false };
    if (!this.#isClosed && honored.includes(this.#taskId)) return undefined;
    this.#stopListening();
    return never();
  }

  #stopListening(): void {
    // The task is followed without the stream, whether or not the server hears of its end.
    this.#stream?.subscription.close().catch(() => undefined);
    this.#stream = undefined;
    this.#opened = never();
  }
}

function nextOf(changes: AsyncIterator<Change>): Promise<IteratorResult<Change> | undefined> {
  return changes.next().catch(() => undefined);
}

function never(): Promise<void> {
  return new Promise(() => undefined);
}
