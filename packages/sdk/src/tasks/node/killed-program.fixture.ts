/**
 * A program that runs tasks over a store in a file until it is killed. It says everything that was confirmed to it, one JSON line
 * each, before it goes on.
 */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { TaskEngine } from "../task-engine.js";
import type { TaskWork } from "../task-work.js";
import { FileTaskStore } from "./file-task-store.js";

/** Something that was confirmed to the program. */
export interface KilledProgramFact {
  readonly taskId: string;
  readonly fact: "created" | "charged" | "completed";
  /** The result of the effect, which runs once per task. */
  readonly charge?: unknown;
}

const TASKS_AT_ONCE = 6;
// Enough for a rewrite of the file every few dozen changes.
const TEXT = "x".repeat(20_000);

function say(fact: KilledProgramFact): void {
  writeSync(1, `${JSON.stringify(fact)}\n`);
}

const work: TaskWork = async (run) => {
  const charge = await run.once("charge", () => randomUUID());
  say({ taskId: run.taskId, fact: "charged", charge });
  return { charge, text: TEXT };
};

const [path = ""] = process.argv.slice(2);
const unlimited = { maxTasks: 1e9, maxTasksPerPrincipal: 1e9, maxBytes: 1e9, maxBytesPerPrincipal: 1e9 };
const engine = new TaskEngine({ store: await FileTaskStore.open(path, { staleLockMs: 300, ...unlimited }) });
await engine.recover(() => work);

async function createTasks(): Promise<never> {
  for (;;) {
    const request = { principal: "alice", method: "tools/call", params: { text: TEXT }, mayRerun: true };
    const { taskId } = await engine.create(request, work);
    say({ taskId, fact: "created" });
    const { result } = await engine.finished(taskId, "alice");
    say({ taskId, fact: "completed", charge: result?.charge });
  }
}

await Promise.all(Array.from({ length: TASKS_AT_ONCE }, createTasks));
