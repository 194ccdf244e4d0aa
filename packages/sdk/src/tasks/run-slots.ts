/** Slots for work that runs at the same time, in total and per principal. Work without a slot waits; principals take turns. */
import { Quota } from "../runtime/quota.js";

export class RunSlots {
  readonly #running: Quota;
  /** The tasks that wait, by principal. The principal that was served last comes last. */
  readonly #waiting = new Map<string | undefined, Map<string, (isGranted: boolean) => void>>();

  constructor(max: number, maxPerPrincipal: number) {
    this.#running = new Quota(max, maxPerPrincipal);
  }

  /** Number of slots in use. */
  get used(): number {
    return this.#running.used;
  }

  /** Resolves with true once the task has a slot, or with false if `cancel` ended the wait. */
  take(taskId: string, principal: string | undefined): Promise<boolean> {
    if (this.#running.fullLevel(principal, 1) === undefined) {
      this.#running.take(principal, 1);
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const tasks = this.#waiting.get(principal) ?? new Map<string, (isGranted: boolean) => void>();
      tasks.set(taskId, resolve);
      this.#waiting.set(principal, tasks);
    });
  }

  /** Gives a slot back. */
  release(principal: string | undefined): void {
    this.#running.take(principal, -1);
    for (const [next, tasks] of this.#waiting) {
      if (this.#running.fullLevel(next, 1) !== undefined) continue;
      const [taskId] = tasks.keys();
      this.#waiting.delete(next);
      this.#waiting.set(next, tasks);
      this.#running.take(next, 1);
      // A principal without waiting tasks has no entry.
      this.#end(next, taskId as string, true);
      return;
    }
  }

  /** Ends the wait of a task, if it waits. */
  cancel(taskId: string, principal: string | undefined): void {
    this.#end(principal, taskId, false);
  }

  #end(principal: string | undefined, taskId: string, isGranted: boolean): void {
    const tasks = this.#waiting.get(principal);
    const resolve = tasks?.get(taskId);
    if (tasks === undefined || resolve === undefined) return;
    tasks.delete(taskId);
    if (tasks.size === 0) this.#waiting.delete(principal);
    resolve(isGranted);
  }
}
