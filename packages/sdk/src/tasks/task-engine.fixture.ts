/** An engine for tests, with work that waits until the test lets it go on. */
import type { JsonObject } from "../runtime/json.js";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import type { TaskCreation } from "./task-creation.js";
import { TaskEngine } from "./task-engine.js";
import type { TaskEngineOptions } from "./task-engine-options.js";
import type { TaskRecord } from "./task-record.js";
import type { TaskRun, TaskWork } from "./task-work.js";

export const CALL: TaskCreation = {
  principal: "alice",
  method: "tools/call",
  params: { name: "render" },
  mayRerun: true,
};

/** Work that has begun with `run`, and ends as the test decides. */
export interface HeldWork {
  readonly work: TaskWork;
  /** Resolves when the work has begun. */
  readonly begun: Promise<TaskRun>;
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
}

export function heldWork(): HeldWork {
  const held = {} as { -readonly [Name in keyof HeldWork]: HeldWork[Name] };
  const end = new Promise<JsonObject>((resolve, reject) => Object.assign(held, { resolve, reject }));
  let begin: (run: TaskRun) => void = () => undefined;
  held.begun = new Promise((resolve) => {
    begin = resolve;
  });
  held.work = (run) => {
    begin(run);
    return end;
  };
  return held;
}

export interface OpenedEngine {
  readonly engine: TaskEngine;
  readonly store: InMemoryTaskStore;
  readonly errors: Error[];
  /** Creates a task of alice whose work has begun. */
  begin(request?: Partial<TaskCreation>): Promise<HeldWork & { readonly run: TaskRun; readonly task: TaskRecord }>;
}

export function openEngine(options: TaskEngineOptions = {}): OpenedEngine {
  const store = new InMemoryTaskStore();
  const errors: Error[] = [];
  const engine = new TaskEngine({ store, onError: (error) => errors.push(error), ...options });
  return {
    engine,
    store,
    errors,
    async begin(request) {
      const held = heldWork();
      const task = await engine.create({ ...CALL, ...request }, held.work);
      return { ...held, run: await held.begun, task };
    },
  };
}

/** Lets everything happen that needs no timer. */
export function everythingSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
