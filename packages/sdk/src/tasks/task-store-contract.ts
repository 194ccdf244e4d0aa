/** The contract suite of `TaskStore`. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { INPUT, newRecord, nextRecord } from "./task-record.fixture.js";
import { type TaskInput, type TaskRecord, type TaskSummary, taskSummary } from "./task-record.js";
import type { TaskStore } from "./task-store.js";
import type { TaskStoreLimits } from "./task-table.js";

export function taskStoreContract(open: (limits?: TaskStoreLimits) => Promise<TaskStore>): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  async function storeWith(...records: TaskRecord[]): Promise<TaskStore> {
    const store = await open();
    for (const record of records) await store.create(record, INPUT);
    return store;
  }

  async function abandonedIds(store: TaskStore): Promise<string[]> {
    const ids: string[] = [];
    for await (const { taskId } of store.abandoned()) ids.push(taskId);
    return ids;
  }

  describe("a store of tasks", () => {
    it("returns a task as it was stored, and no other", async () => {
      const record = newRecord({ principal: "alice", scopes: ["a", "b"] });
      const input = { params: { name: "render", arguments: { __proto__: 1 } }, context: { revision: "x" } };
      const store = await open();
      await store.create(record, input);
      expect(await store.get(record.taskId)).toEqual(record);
      expect(await store.input(record.taskId)).toEqual(input);
      expect(await store.get(newRecord().taskId)).toBeUndefined();
    });

    it("keeps copies", async () => {
      const input = { params: { list: [1] } };
      const record = newRecord();
      const store = await open();
      await store.create(record, input);
      input.params.list.push(2);
      const read = (await store.input(record.taskId)) as TaskInput;
      expect(read).toEqual({ params: { list: [1] } });
      (read.params.list as number[]).push(3);
      expect(await store.input(record.taskId)).toEqual({ params: { list: [1] } });
    });

    it("keeps the input of a task until it is finished, deleted or expired", async () => {
      const records = [newRecord(), newRecord(), newRecord({ ttlMs: 1_000 })];
      const [ended, deleted, brief] = records as [TaskRecord, TaskRecord, TaskRecord];
      const store = await storeWith(...records);
      const working = nextRecord(ended, { statusMessage: "half" });
      await store.replace(working);
      for (const { taskId } of records) expect(await store.input(taskId)).toEqual(INPUT);
      await store.replace(nextRecord(working, { status: "completed", result: {} }));
      await store.delete(deleted.taskId);
      vi.setSystemTime(Date.now() + 1_000);
      for (const { taskId } of records) expect(await store.input(taskId)).toBeUndefined();
      expect(await store.get(brief.taskId)).toBeUndefined();
      expect(await store.input(newRecord().taskId)).toBeUndefined();
    });

    it("replaces a record by the next version alone", async () => {
      const record = newRecord();
      const store = await storeWith(record);
      const next = nextRecord(record, { statusMessage: "one" });
      expect(await store.replace(next)).toBe(true);
      expect(await store.replace(nextRecord(record, { statusMessage: "two" }))).toBe(false);
      expect(await store.replace(nextRecord(nextRecord(next)))).toBe(false);
      expect(await store.get(record.taskId)).toEqual(next);
    });

    it("lets one of many win who replace the same version together", async () => {
      const record = newRecord();
      const store = await storeWith(record);
      const rivals = ["a", "b", "c", "d"].map((statusMessage) => nextRecord(record, { statusMessage }));
      const outcomes = await Promise.all(rivals.map((rival) => store.replace(rival)));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await store.get(record.taskId)).toEqual(rivals[outcomes.indexOf(true)]);
    });

    it("replaces nothing that does not exist", async () => {
      const store = await open();
      expect(await store.replace(nextRecord(newRecord()))).toBe(false);
    });

    it("deletes a task, and does nothing for one that is gone", async () => {
      const record = newRecord();
      const store = await storeWith(record);
      await store.delete(record.taskId);
      await store.delete(record.taskId);
      expect(await store.get(record.taskId)).toBeUndefined();
      expect(await store.list(undefined, undefined, 10)).toEqual({ tasks: [] });
    });

    it("forgets a task when its time to live is over, and not before", async () => {
      const record = newRecord({ ttlMs: 1_000 });
      const forever = newRecord({ ttlMs: null });
      const store = await storeWith(record, forever);
      vi.setSystemTime(Date.now() + 999);
      expect(await store.get(record.taskId)).toEqual(record);
      vi.setSystemTime(Date.now() + 1);
      expect(await store.get(record.taskId)).toBeUndefined();
      expect(await store.replace(nextRecord(record))).toBe(false);
      expect((await store.list(undefined, undefined, 10)).tasks).toEqual([taskSummary(forever)]);
      expect(await abandonedIds(store)).toEqual([forever.taskId]);
    });

    it("lists the tasks of one principal in the order of their creation, page by page", async () => {
      const own = Array.from({ length: 5 }, () => newRecord({ principal: "alice" }));
      const store = await storeWith(...own.flatMap((record) => [record, newRecord({ principal: "bob" })]), newRecord());
      const listed: TaskSummary[] = [];
      let cursor: string | undefined;
      const sizes: number[] = [];
      do {
        const page = await store.list("alice", cursor, 2);
        listed.push(...page.tasks);
        sizes.push(page.tasks.length);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(listed).toEqual(own.map(taskSummary));
      expect(sizes).toEqual([2, 2, 1]);
    });

    it("lists the status of a task, its message, and whether its tool failed", async () => {
      const [failed, told] = [newRecord(), newRecord()];
      const store = await storeWith(failed, told);
      const ended = nextRecord(failed, { status: "completed", result: { isError: true, content: [] } });
      await store.replace(ended);
      await store.replace(nextRecord(told, { statusMessage: "halfway" }));
      expect((await store.list(undefined, undefined, 10)).tasks).toMatchObject([
        { taskId: failed.taskId, status: "completed", isError: true },
        { taskId: told.taskId, status: "working", statusMessage: "halfway", isError: false },
      ]);
      expect(await store.get(failed.taskId)).toEqual(ended);
    });

    it("says that there is no further page when the last one is full", async () => {
      const store = await storeWith(newRecord(), newRecord());
      expect((await store.list(undefined, undefined, 2)).nextCursor).toBeUndefined();
    });

    it("keeps the order of tasks that change", async () => {
      const [first, second] = [newRecord(), newRecord()];
      const store = await storeWith(first, second);
      await store.replace(nextRecord(first));
      const { tasks } = await store.list(undefined, undefined, 10);
      expect(tasks.map(({ taskId }) => taskId)).toEqual([first.taskId, second.taskId]);
    });

    it.each(["", "nonsense", "0".repeat(40)])("refuses the cursor %j with -32602", async (cursor) => {
      const store = await storeWith(newRecord());
      await expect(store.list(undefined, cursor, 10)).rejects.toMatchObject({ code: -32_602 });
    });

    it("refuses the cursor of another principal", async () => {
      const store = await storeWith(newRecord({ principal: "bob" }), newRecord({ principal: "bob" }));
      const { nextCursor } = await store.list("bob", undefined, 1);
      expect(nextCursor).toBeDefined();
      await expect(store.list("alice", nextCursor, 1)).rejects.toMatchObject({ code: -32_602 });
    });

    it("names the tasks that are not finished", async () => {
      const [working, asking, done] = [newRecord(), newRecord(), newRecord()];
      const store = await storeWith(working, asking, done);
      await store.replace(nextRecord(asking, { status: "input_required" }));
      await store.replace(nextRecord(done, { status: "failed" }));
      expect(await abandonedIds(store)).toEqual([working.taskId, asking.taskId]);
    });

    it("tells its listeners of every change, until they stop", async () => {
      const record = newRecord();
      const store = await open();
      const heard: TaskRecord[] = [];
      const stop = store.watch((changed) => void heard.push(changed));
      await store.create(record, INPUT);
      await store.replace(nextRecord(record));
      await store.replace(nextRecord(record));
      stop();
      await store.replace(nextRecord(nextRecord(record)));
      expect(heard).toEqual([record, nextRecord(record)]);
    });
  });

  describe("the limits of a store of tasks", () => {
    const refusal = (limit: string, max: number) => ({
      code: 429,
      message: expect.stringContaining(`at most ${max} `),
      data: { limit },
    });

    it("refuse tasks beyond the number of a principal, and of all", async () => {
      const store = await open({ maxTasks: 5, maxTasksPerPrincipal: 2 });
      for (let count = 0; count < 2; count += 1) await store.create(newRecord({ principal: "alice" }), INPUT);
      await expect(store.create(newRecord({ principal: "alice" }), INPUT)).rejects.toMatchObject(
        refusal("principal", 2),
      );
      for (let count = 0; count < 2; count += 1) await store.create(newRecord({ principal: "bob" }), INPUT);
      await store.create(newRecord({ principal: "carol" }), INPUT);
      await expect(store.create(newRecord({ principal: "carol" }), INPUT)).rejects.toMatchObject(refusal("server", 5));
    });

    it("have room again when tasks expire or are deleted", async () => {
      const store = await open({ maxTasks: 2, maxTasksPerPrincipal: 2 });
      const kept = newRecord({ ttlMs: 2_000 });
      await store.create(newRecord({ ttlMs: 1_000 }), INPUT);
      await store.create(kept, INPUT);
      await expect(store.create(newRecord(), INPUT)).rejects.toMatchObject(refusal("server", 2));
      vi.setSystemTime(Date.now() + 1_000);
      await store.create(newRecord(), INPUT);
      await expect(store.create(newRecord(), INPUT)).rejects.toMatchObject(refusal("server", 2));
      await store.delete(kept.taskId);
      await store.create(newRecord(), INPUT);
    });

    it("refuse bytes beyond those of a principal, and of all, at creation and at growth", async () => {
      const store = await open({ maxBytes: 30_000, maxBytesPerPrincipal: 14_000 });
      const large = (principal: string) => newRecord({ principal, inputBytes: 9_000 });
      const record = newRecord({ principal: "alice" });
      await store.create(record, INPUT);
      await expect(store.create(large("alice"), INPUT)).rejects.toMatchObject(refusal("principal", 14_000));
      const grown = nextRecord(record, { result: { text: "x".repeat(8_000) } });
      await expect(store.replace(grown)).rejects.toMatchObject(refusal("principal", 14_000));
      expect(await store.get(record.taskId)).toEqual(record);
      await store.create(large("bob"), INPUT);
      await store.create(large("carol"), INPUT);
      await expect(store.create(large("dora"), INPUT)).rejects.toMatchObject(refusal("server", 30_000));
    });

    it("count the objects of a task as they take memory, not as text", async () => {
      const store = await open({ maxBytes: 100_000, maxBytesPerPrincipal: 100_000 });
      const record = newRecord();
      await store.create(record, INPUT);
      // 5,700 characters.
      const result = { list: Array.from({ length: 1_900 }, () => ({})) };
      await store.replace(nextRecord(record, { status: "completed", result }));
      await expect(store.create(newRecord(), INPUT)).resolves.toBeUndefined();
      await expect(store.create(newRecord(), INPUT)).rejects.toMatchObject(refusal("server", 100_000));
    });

    it("leave room to end every task with a short error", async () => {
      const store = await open({ maxBytes: 3 * 4_096, maxBytesPerPrincipal: 3 * 4_096 });
      const records = [newRecord(), newRecord(), newRecord()];
      for (const record of records) await store.create(record, INPUT);
      const error = { code: -32_603, message: "x".repeat(200) };
      for (const record of records) {
        expect(await store.replace(nextRecord(record, { status: "failed", error, statusMessage: error.message }))).toBe(
          true,
        );
      }
    });
  });
}
