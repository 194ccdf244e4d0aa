import { expect, it, vi } from "vitest";
import { INPUT, newRecord, nextRecord } from "./task-record.fixture.js";
import { taskSummary } from "./task-record.js";
import { TaskTable } from "./task-table.js";

/** A task whose input takes this much. */
const ofAlice = (inputBytes = 0) => newRecord({ principal: "alice", inputBytes });
const ROOM_REFUSED = expect.objectContaining({ code: 429, data: { limit: "principal" } });

it("counts a restored task once, with the bytes of its last version", () => {
  const table = new TaskTable({ maxTasksPerPrincipal: 2, maxBytesPerPrincipal: 14_000 });
  const record = ofAlice();
  table.restore(record, INPUT);
  table.restore(nextRecord(record, { statusMessage: "x".repeat(3_500) }), undefined);
  expect(table.size).toBe(1);
  expect(table.input(record.taskId)).toEqual(INPUT);
  expect(() => table.create(ofAlice(5_000), INPUT)).toThrow(ROOM_REFUSED);
  table.create(ofAlice(), INPUT);
  expect(() => table.create(ofAlice(), INPUT)).toThrow(ROOM_REFUSED);
  table.delete(record.taskId);
  table.create(ofAlice(8_000), INPUT);
});

it("has no text of a task that has expired, and restores none", () => {
  let now = 0;
  const table = new TaskTable({ now: () => now });
  const [brief, lasting] = [newRecord({ createdAt: 0, ttlMs: 10 }), newRecord({ createdAt: 0, ttlMs: 100 })];
  for (const record of [brief, lasting]) table.restore(record, INPUT);
  now = 10;
  expect(table.texts().map(({ text }) => JSON.parse(text))).toEqual([lasting]);
  table.restore(brief, INPUT);
  expect(table.size).toBe(1);
  table.close();
});

it("has no timer once it is closed", () => {
  vi.useFakeTimers();
  const table = new TaskTable();
  table.create(newRecord(), INPUT);
  expect(vi.getTimerCount()).toBe(1);
  table.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

it("lists and reads tasks without parsing their input", () => {
  const table = new TaskTable();
  const records = [1, 2, 3].map(() => ofAlice());
  for (const record of records) table.create(record, { params: { text: "x".repeat(300_000) } });
  const parse = vi.spyOn(JSON, "parse");

  expect(table.list("alice", undefined, 100)).toEqual({ tasks: records.map(taskSummary) });
  for (const record of records) expect(table.get(record.taskId)).toEqual(record);
  for (const record of records) expect(table.replace(nextRecord(record))).toBe(true);
  expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(500);
  parse.mockRestore();
  table.close();
});
