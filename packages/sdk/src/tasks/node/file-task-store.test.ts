import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JournalFile } from "../../files/journal-file.js";
import { INPUT, newRecord, nextRecord } from "../task-record.fixture.js";
import { type TaskRecord, taskSummary } from "../task-record.js";
import { taskStoreContract } from "../task-store-contract.js";
import { FileTaskStore, type FileTaskStoreOptions } from "./file-task-store.js";

let folder: string;
let path: string;
const opened: FileTaskStore[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-tasks-"));
  path = join(folder, "state", "tasks.jsonl");
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(options: FileTaskStoreOptions = {}): Promise<FileTaskStore> {
  const store = await FileTaskStore.open(path, options);
  opened.push(store);
  return store;
}

async function reopen(store: FileTaskStore): Promise<FileTaskStore> {
  await store.close();
  return open();
}

taskStoreContract(open);

describe("a store of tasks in a file", () => {
  it("has its tasks after a restart, in their order, with their latest versions and without deleted ones", async () => {
    const records = [newRecord(), newRecord({ principal: "alice" }), newRecord(), newRecord()] as const;
    const store = await open();
    for (const record of records) await store.create(record, INPUT);
    await store.replace(nextRecord(records[0], { statusMessage: "later" }));
    await store.delete(records[2].taskId);

    const again = await reopen(store);
    expect((await again.list(undefined, undefined, 10)).tasks).toEqual([
      taskSummary(nextRecord(records[0], { statusMessage: "later" })),
      taskSummary(records[3]),
    ]);
    expect(await again.get(records[1].taskId)).toEqual(records[1]);
    expect(again.size).toBe(3);
  });

  it("restores no task that has expired, and counts the others", async () => {
    const store = await open();
    await store.create(newRecord({ createdAt: Date.now() - 1_000, ttlMs: 1_001 }), INPUT);
    await store.create(newRecord(), INPUT);
    await store.close();
    vi.setSystemTime(Date.now() + 1);
    const again = await open({ maxTasks: 1 });
    expect(again.size).toBe(1);
    await expect(again.create(newRecord(), INPUT)).rejects.toMatchObject({ code: 429 });
  });

  it("can be opened whatever byte of the file a crash ended at", async () => {
    const first = newRecord();
    const store = await open();
    await store.create(first, { params: { text: "é\u{1f600}" } });
    const before = (await stat(path)).size;
    const next = nextRecord(first, { statusMessage: "é\u{1f600}" });
    await store.replace(next);
    await store.close();
    const bytes = await readFile(path);
    for (let length = before; length <= bytes.length; length += 1) {
      await writeFile(path, bytes);
      await truncate(path, length);
      const again = await FileTaskStore.open(path);
      expect(await again.get(first.taskId)).toEqual(length === bytes.length ? next : first);
      await again.close();
    }
  }, 60_000);

  it("goes on after a line that was cut off", async () => {
    const [first, second] = [newRecord(), newRecord()];
    const store = await open();
    await store.create(first, INPUT);
    await store.close();
    await appendFile(path, '{"task":{"taskId":"00');
    const again = await open();
    await again.create(second, INPUT);
    const last = await reopen(again);
    expect((await last.list(undefined, undefined, 10)).tasks).toEqual([first, second].map(taskSummary));
  });

  it("removes what a kill during a rewrite left, and nothing else", async () => {
    await (await open()).close();
    await writeFile(`${path}.1.tmp`, "half");
    await writeFile(join(folder, "state", "other.tmp"), "other");
    await open();
    expect((await readdir(join(folder, "state"))).sort()).toEqual(["other.tmp", "tasks.jsonl.lock"]);
  });

  it("is for its owner alone", async () => {
    const store = await open();
    await store.create(newRecord(), INPUT);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "state"))).mode & 0o777).toBe(0o700);
  });

  it.each(["nonsense\n", '{"format":"parley-task-store/1"}\nnonsense\n', '{"format":"parley-task-store/1"}\n7\n'])(
    "refuses a file with %j, and leaves it",
    async (text) => {
      await (await open()).close();
      await writeFile(path, text);
      await expect(open()).rejects.toMatchObject({ code: "invalid-argument", message: expect.stringContaining(path) });
      expect(await readFile(path, "utf8")).toBe(text);
      expect(await readdir(join(folder, "state"))).toEqual(["tasks.jsonl"]);
    },
  );

  it("shows no change before it is on the disk", async () => {
    const record = newRecord();
    const store = await open();
    const heard: TaskRecord[] = [];
    store.watch((changed) => void heard.push(changed));
    const created = store.create(record, INPUT);
    const onDisk = async () => (await readFile(path, "utf8").catch(() => "")).includes(record.taskId);
    const shown = store.get(record.taskId).then(onDisk);
    const listed = store.list(undefined, undefined, 1).then(onDisk);
    expect(heard).toEqual([]);
    expect(await shown).toBe(true);
    expect(await listed).toBe(true);
    await created;
    expect(heard).toEqual([record]);
  });

  it("writes the changes of one turn together", async () => {
    const store = await open();
    const append = vi.spyOn(JournalFile.prototype, "append");
    await Promise.all(Array.from({ length: 50 }, () => store.create(newRecord(), INPUT)));
    expect(append).toHaveBeenCalledOnce();
    expect(append.mock.calls[0]?.[0]).toHaveLength(50);
    append.mockRestore();
  });

  it("rejects a change that cannot be written, hides it, and writes all of it with the next one", async () => {
    const kept = newRecord();
    const changed = nextRecord(kept, { statusMessage: "later" });
    const store = await open();
    await store.create(kept, INPUT);
    await rm(path);
    await expect(store.replace(changed)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(store.get(kept.taskId)).rejects.toMatchObject({ code: "ENOENT" });
    await store.create(newRecord(), INPUT);
    expect(await store.get(kept.taskId)).toEqual(changed);
    const again = await reopen(store);
    expect(again.size).toBe(2);
  });

  it("forgets a new task that cannot be written", async () => {
    const lost = newRecord();
    const store = await open();
    await store.create(newRecord(), INPUT);
    await rm(path);
    await expect(store.create(lost, INPUT)).rejects.toMatchObject({ code: "ENOENT" });
    expect(store.size).toBe(1);
    await store.create(newRecord(), INPUT);
    expect(await store.get(lost.taskId)).toBeUndefined();
    const again = await reopen(store);
    expect(again.size).toBe(2);
  });

  it("refuses changes once it is closed, and waits for those under way", async () => {
    const record = newRecord();
    const store = await open();
    const created = store.create(record, INPUT);
    await Promise.all([store.close(), store.close()]);
    await created;
    await expect(store.create(newRecord(), INPUT)).rejects.toMatchObject({ code: "connection-closed" });
    await expect(store.replace(nextRecord(record))).rejects.toMatchObject({ code: "connection-closed" });
    await expect(store.delete(record.taskId)).rejects.toMatchObject({ code: "connection-closed" });
    expect(await (await open()).get(record.taskId)).toEqual(record);
  });
});

describe("the lock of a store of tasks", () => {
  it("keeps a second store out, with its holder and advice", async () => {
    const refusal = (holder: string) => ({
      code: "invalid-argument",
      message: `${path} is in use by ${holder}; close that store first, or give each one a file of its own`,
    });
    const first = await open();
    await expect(open({ lockTimeoutMs: 1 })).rejects.toMatchObject({
      ...refusal("this process"),
      cause: { code: "request-timeout" },
    });
    await first.close();
    await writeFile(`${path}.lock`, "process 1 on another\n");
    await expect(open({ lockTimeoutMs: 1 })).rejects.toMatchObject(refusal("process 1 on another"));
  });

  it("does not block once its process shows no sign of life", async () => {
    await (await open()).close();
    await writeFile(`${path}.lock`, "killed");
    const { aliveMs } = await open({ staleLockMs: 100 });
    expect(aliveMs).toBe(100);
  });

  it("that another process took over stops the writes of the first", async () => {
    const store = await open();
    await rm(`${path}.lock`);
    await writeFile(`${path}.lock`, "another process");
    await expect(store.create(newRecord(), INPUT)).rejects.toMatchObject({ code: "invalid-argument" });
    await store.close();
    expect(await readFile(`${path}.lock`, "utf8")).toBe("another process");
  });

  it("that another process took over and released stops them too, once that process has written", async () => {
    const store = await open();
    await store.create(newRecord(), INPUT);
    await rm(`${path}.lock`);
    const theirs = `${await readFile(path, "utf8")}{"deleted":"theirs"}\n`;
    await writeFile(path, theirs);
    await expect(store.create(newRecord(), INPUT)).rejects.toMatchObject({ code: "invalid-argument" });
    expect(await readFile(path, "utf8")).toBe(theirs);
    await store.close();
  });

  it.each(["lockTimeoutMs", "staleLockMs"])("refuses Infinity as %s", async (name) => {
    const message = `${name}: expected milliseconds from 1 to 2147483647, got Infinity`;
    await expect(open({ [name]: Number.POSITIVE_INFINITY })).rejects.toMatchObject({ message });
  });

  it("is not opened if it has a line that no store wrote", async () => {
    await (await open()).create(newRecord(), INPUT);
    for (const store of opened.splice(0)) await store.close();
    await appendFile(path, '{"other":1}\n');
    await expect(open()).rejects.toThrow(path);
  });

  it("passes on errors of the file system", async () => {
    await expect(FileTaskStore.open(join(folder, "x".repeat(255)))).rejects.toMatchObject({ code: "ENAMETOOLONG" });
  });
});
