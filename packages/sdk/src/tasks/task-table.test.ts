import { expect, it, vi } from "vitest";
import { newRecord, nextRecord } from "./task-record.fixture.js";
import { taskSummary } from "./task-record.js";
import { TaskTable } from "./task-table.js";

/** A task with a text of this length. */
const ofAlice = (length = 0) => newRecord({ principal: "alice", params: { text: "x".repeat(length) } });
const ROOM_REFUSED = expect.objectContaining({ code: 429, data: { limit: "principal" } });

it("counts a restored task once, with the bytes of its last version", () => {
  const table = new TaskTable({ maxTasksPerPrincipal: 2, maxBytesPerPrincipal: 14_000 });
  const record = ofAlice();
  table.restore(record);
  table.restore(nextRecord(record, { params: { text: "x".repeat(4_000) } }));
  expect(table.size).toBe(1);
  expect(() => table.create(ofAlice(2_500))).toThrow(ROOM_REFUSED);
  table.create(ofAlice());
  expect(() => table.create(ofAlice())).toThrow(ROOM_REFUSED);
  table.delete(record.taskId);
  table.create(ofAlice(4_000));
});

it("has no text of a task that has expired, and restores none", () => {
  let now = 0;
  const table = new TaskTable({ now: () => now });
  const [brief, lasting] = [newRecord({ createdAt: 0, ttlMs: 10 }), newRecord({ createdAt: 0, ttlMs: 100 })];
  for (const record of [brief, lasting]) table.restore(record);
  now = 10;
  expect(table.texts().map((text) => JSON.parse(text))).toEqual([lasting]);
  table.restore(brief);
  expect(table.size).toBe(1);
  table.close();
});

it("has no timer once it is closed", () => {
  vi.useFakeTimers();
  const table = new TaskTable();
  table.create(newRecord());
  expect(vi.getTimerCount()).toBe(1);
  table.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

it("lists tasks without parsing their params and results", () => {
  const table = new TaskTable();
  const records = [1, 2, 3].map(() => ofAlice(300_000));
  for (const record of records) table.create(record);
  const parse = vi.spyOn(JSON, "parse");

  expect(table.list("alice", undefined, 100)).toEqual({ tasks: records.map(taskSummary) });
  expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(300);
  parse.mockRestore();
  table.close();
});
