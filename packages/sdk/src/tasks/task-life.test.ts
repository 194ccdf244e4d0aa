import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, it, vi } from "vitest";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import { FileTaskStore } from "./node/file-task-store.js";
import { type DurableStore, TaskLifeModel } from "./task-life-model.fixture.js";
import { taskLife } from "./task-life-operations.fixture.js";

const folders: string[] = [];

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** Stands for a store on another machine: it lives on when the process is killed. */
function inMemory(): DurableStore {
  const store = new InMemoryTaskStore();
  return { open: async () => store, leave: async () => undefined };
}

/** The next process gets the file as it is at the moment of the kill, which may be in the middle of a write. */
async function inFile(): Promise<DurableStore> {
  const folder = await mkdtemp(join(tmpdir(), "parley-task-life-"));
  folders.push(folder);
  let process = 0;
  const path = () => join(folder, `${process}.jsonl`);
  return {
    open: () => FileTaskStore.open(path()),
    async leave(store, isKilled) {
      const before = path();
      if (isKilled) {
        process += 1;
        await copyFile(before, path()).catch(() => undefined);
      }
      await (store as FileTaskStore).close();
    },
  };
}

describe.each([
  ["InMemoryTaskStore", async () => inMemory(), 300],
  ["FileTaskStore", inFile, 60],
])("%s", (_name, createStore, numRuns) => {
  it("loses no answer, repeats no effect and takes nothing back, whatever happens in which order", async () => {
    const lives = fc.asyncProperty(taskLife, async (story) => TaskLifeModel.play(await createStore(), story));
    await fc.assert(lives, { numRuns });
  }, 120_000);
});
