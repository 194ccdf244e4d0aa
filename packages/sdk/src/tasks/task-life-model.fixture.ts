/**
 * The model of tasks: plays a story on an engine whose process is closed and killed in between, and holds everything that
 * callers and works see against what they saw before.
 */
import { expect, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { KillableStore } from "./killable-store.fixture.js";
import { type ModelProcess, ModelTask } from "./model-task.fixture.js";
import { everythingSettled } from "./task-engine.fixture.js";
import { TaskEngine } from "./task-engine.js";
import type { CallerOperation, LifeBurst, LifeOperation } from "./task-life-operations.fixture.js";
import { isTerminal, type TaskRecord } from "./task-record.js";
import type { TaskStore } from "./task-store.js";

/** A store that outlives processes. */
export interface DurableStore {
  /** The store as the next process opens it. */
  open(): Promise<TaskStore>;
  /** Ends the use of an opened store. A killed process does not end its writes. */
  leave(store: TaskStore, isKilled: boolean): Promise<void>;
}

/** Turns of the event loop without a call to the store after which nothing is under way. */
const QUIET_TURNS = 3;

export class TaskLifeModel {
  readonly #durable: DurableStore;
  readonly #tasks: ModelTask[] = [];
  readonly #errors: Error[] = [];
  #process: ModelProcess = { isKilled: false };
  #opened!: TaskStore;
  #store!: KillableStore;
  #engine!: TaskEngine;
  #updates = 0;

  private constructor(durable: DurableStore) {
    this.#durable = durable;
  }

  /** Plays a story to its end. @throws when anything is not as the model says. */
  static async play(durable: DurableStore, story: readonly LifeBurst[]): Promise<void> {
    // Of a story that failed, while a shorter one is looked for.
    vi.clearAllTimers();
    const model = new TaskLifeModel(durable);
    await model.#start();
    for (const { operations, end } of story) {
      for (const operation of operations) await model.#do(operation);
      if (end !== undefined) await model.#restart(end === "kill");
      await model.#settle();
      await model.#check();
    }
    await model.#finish();
  }

  async #start(): Promise<void> {
    this.#opened = await this.#durable.open();
    this.#store = new KillableStore(this.#opened);
    this.#engine = new TaskEngine({ store: this.#store, onError: (error) => this.#errors.push(error) });
    this.#engine.watch((record) => this.#taskOf(record).observe(record));
    this.#process = { isKilled: false };
    await this.#engine.recover((record) => this.#taskOf(record).workIn(this.#process));
  }

  async #restart(isKilled: boolean): Promise<void> {
    this.#process.isKilled = isKilled;
    if (isKilled) this.#store.kill();
    else await this.#engine.close();
    for (const task of this.#tasks) task.processEnded();
    await this.#durable.leave(this.#opened, isKilled);
    await this.#start();
  }

  async #do(operation: LifeOperation): Promise<void> {
    if (operation.kind === "create") this.#create(operation.principal, operation.mayRerun, operation.ttlMs);
    else if (operation.kind === "advance") vi.advanceTimersByTime(operation.ms);
    else if (operation.kind === "tick") for (let turn = 0; turn < operation.turns; turn += 1) await undefined;
    else {
      const task = this.#tasks[operation.task % this.#tasks.length];
      if (task === undefined) return;
      if ("isOwner" in operation) this.#call(task, operation);
      else if (operation.kind === "ask") task.ask(operation.key);
      else if (operation.kind === "withdraw") task.withdraw(operation.key);
      else if (operation.kind === "once") task.once(operation.key);
      else if (operation.kind === "status") task.status();
      else if (operation.kind === "complete") task.complete();
      else task.fail();
    }
  }

  #create(principal: string, mayRerun: boolean, ttlMs: number): void {
    const task = new ModelTask(this.#tasks.length, principal, mayRerun);
    this.#tasks.push(task);
    const request = { principal, mayRerun, ttlMs, method: String(task.index), params: {} };
    this.#follow(this.#engine.create(request, task.workIn(this.#process)).then((record) => task.observe(record)));
  }

  #call(task: ModelTask, operation: CallerOperation): void {
    if (task.taskId === undefined) return;
    const principal = operation.isOwner ? task.principal : "mallory";
    const calling = this.#callEngine(task, task.taskId, principal, operation);
    this.#follow(
      calling.then(
        () => expect(operation.isOwner).toBe(true),
        (error: unknown) => {
          // A wait may also end because the engine was closed.
          if (error instanceof SdkError && error.code === "connection-closed") return;
          if (!(error instanceof ProtocolError)) throw error;
          expect(error.code).toBe(-32_602);
          if (operation.isOwner) task.expectGone();
        },
      ),
    );
  }

  async #callEngine(task: ModelTask, taskId: string, principal: string, operation: CallerOperation): Promise<void> {
    const engine = this.#engine;
    if (operation.kind === "get") task.observe(await engine.get(taskId, principal));
    else if (operation.kind === "cancel") task.observe((await engine.cancel(taskId, principal)).record);
    else if (operation.kind === "wait") {
      const record = await engine.finished(taskId, principal);
      expect(isTerminal(record)).toBe(true);
      task.observe(record);
    } else {
      const responses = Object.fromEntries(operation.keys.map((key) => [key, { update: this.#updates++ }]));
      const record = await engine.update(taskId, principal, responses);
      // Also the answer to a question that was withdrawn meanwhile.
      for (const key of operation.keys)
        if (record.questions[key]) expect(record.questions[key]).toHaveProperty("response");
      task.observe(record);
    }
  }

  /** A failed expectation fails the story. A change that the killed process did not hear of does not. */
  #follow(promise: Promise<unknown>): void {
    promise.catch((error: Error) => this.#errors.push(error));
  }

  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
      await everythingSettled();
      // Deadlines that have passed already.
      vi.advanceTimersByTime(0);
      if (this.#store.pending > 0) quiet = -1;
    }
  }

  async #check(): Promise<void> {
    for (const task of this.#tasks) {
      if (task.taskId === undefined) continue;
      const record = await this.#opened.get(task.taskId);
      if (record === undefined) task.expectGone();
      else task.observe(record);
      task.checkRun(record);
      const listed = (await this.#opened.list(task.principal, undefined, 100)).tasks;
      expect(listed.some(({ taskId }) => taskId === task.taskId)).toBe(record !== undefined);
    }
    expect(this.#errors).toEqual([]);
  }

  /** Ends all works. Nothing may be running then, and everything that is left is finished. */
  async #finish(): Promise<void> {
    for (const task of this.#tasks) task.complete();
    await this.#settle();
    for (const task of this.#tasks) task.release();
    await this.#settle();
    await this.#check();
    expect(this.#engine.running).toBe(0);
    for (const task of this.#tasks) task.checkFinished();
    await this.#engine.close();
    await this.#durable.leave(this.#opened, false);
  }

  #taskOf({ method, taskId }: TaskRecord): ModelTask {
    const found = this.#tasks[Number(method)];
    if (found === undefined) throw new Error(`nobody created ${taskId}`);
    found.taskId = taskId;
    return found;
  }
}
