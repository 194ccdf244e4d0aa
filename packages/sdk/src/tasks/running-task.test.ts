import { expect, it } from "vitest";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import { RunningTask } from "./running-task.js";
import { TaskChanges } from "./task-changes.js";
import { INPUT, newRecord } from "./task-record.fixture.js";
import { type TaskRecord, withQuestion, withResponses } from "./task-record.js";

it("hears of an answer although the record before it arrives later", async () => {
  const store = new InMemoryTaskStore();
  const record = newRecord();
  const asking = withQuestion(record, "name", {}, 64, 0) as TaskRecord;
  const answered = withResponses(asking, { name: { action: "accept" } }, 0) as TaskRecord;
  await store.create(asking, INPUT);
  const limits = { maxInputRequests: 64, maxKeyCharacters: 256, statusIntervalMs: 250, leaseMs: 30_000 };
  const changes = new TaskChanges(store, 1_000_000, Date.now);
  const run = new RunningTask(record.taskId, 0, changes, { confirm: async () => true }, limits, () => undefined);
  run.see(answered);
  expect(await run.ask("name", {})).toEqual({ action: "accept" });
});
