/** What tasks leave behind in memory. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import { CALL, everythingSettled } from "./task-engine.fixture.js";
import { TaskEngine } from "./task-engine.js";

const MEBIBYTE = 1_048_576;
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it("finished and expired tasks leave the heap where it was", async () => {
  let now = 0;
  const store = new InMemoryTaskStore({ now: () => now });
  const engine = new TaskEngine({ store, now: () => now });
  const runTasks = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const request = { ...CALL, ttlMs: 1_000, params: { text: "x".repeat(1_000) } };
      const { taskId } = await engine.create(request, async (run) => ({ once: await run.once("charge", () => index) }));
      await engine.finished(taskId, "alice");
      if (index % 500 === 0) now += 1_000;
    }
    now += 1_000;
  };
  await runTasks(1_000);
  const before = heapUsed();
  await runTasks(10_000);
  // The next task makes the store free the last of those before.
  await runTasks(1);
  expect(store.size).toBeLessThan(1_024);
  expect(heapUsed() - before).toBeLessThan(2 * MEBIBYTE);
}, 60_000);

it("2,000 tasks that wait for an answer take less than 12 KiB each", async () => {
  const store = new InMemoryTaskStore({ maxTasksPerPrincipal: 2_000 });
  const engine = new TaskEngine({ store, maxRunning: 2_000, maxRunningPerPrincipal: 2_000 });
  const before = heapUsed();
  for (let index = 0; index < 2_000; index += 1) await engine.create(CALL, (run) => run.ask("name", {}));
  await everythingSettled();
  expect(engine.running).toBe(2_000);
  expect(heapUsed() - before).toBeLessThan(2_000 * 12 * 1_024);
  await engine.close();
}, 60_000);
