import { expect, it, vi } from "vitest";
import { InMemoryTaskStore } from "../../tasks/in-memory-task-store.js";
import { INPUT, newRecord, nextRecord } from "../../tasks/task-record.fixture.js";
import type { TaskRecord } from "../../tasks/task-record.js";
import { ServerTasks, type TaskHost } from "./server-tasks.js";

it("reads a task again for streams that hear of a change while a read is under way", async () => {
  const store = new InMemoryTaskStore();
  const host = { input: { maxRequests: 1 }, changes: { deliver: () => undefined } };
  const served = new ServerTasks({ store }, host as unknown as TaskHost);
  const record = newRecord();
  await store.create(record, INPUT);
  let goOn: (read: TaskRecord) => void = () => undefined;
  vi.spyOn(store, "get").mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        goOn = resolve;
      }),
  );
  const before = served.current(record.taskId, {} as never);
  const changed: TaskRecord = nextRecord(record, { statusMessage: "half", visibleVersion: record.version + 1 });
  await store.replace(changed);
  const after = served.current(record.taskId, {} as never);
  goOn(record);
  expect((await before)?.statusMessage).toBeUndefined();
  expect((await after)?.statusMessage).toBe("half");
});

it("needs the scopes of a task from its caller", async () => {
  const store = new InMemoryTaskStore();
  const served = new ServerTasks({ store }, { input: { maxRequests: 1 } } as unknown as TaskHost);
  const record = newRecord({ scopes: ["render"] });
  await store.create(record, INPUT);
  const requireScopes = vi.fn();
  expect(await served.usable(record.taskId, { requireScopes } as never)).toEqual(record);
  expect(requireScopes).toHaveBeenCalledWith("render");
});
