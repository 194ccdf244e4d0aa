import { expect, it, vi } from "vitest";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import { INPUT, newRecord } from "./task-record.fixture.js";
import { taskStoreContract } from "./task-store-contract.js";

taskStoreContract(async (limits) => new InMemoryTaskStore(limits));

it("holds 16,384 tasks, and 1,024 of one principal", async () => {
  const store = new InMemoryTaskStore();
  for (let count = 0; count < 1_024; count += 1) await store.create(newRecord({ principal: "alice" }), INPUT);
  await expect(store.create(newRecord({ principal: "alice" }), INPUT)).rejects.toMatchObject({
    data: { limit: "principal" },
  });
  for (let count = 1_024; count < 16_384; count += 1) {
    await store.create(newRecord({ principal: String(count % 100) }), INPUT);
  }
  await expect(store.create(newRecord({ principal: "bob" }), INPUT)).rejects.toMatchObject({
    data: { limit: "server" },
  });
}, 60_000);

it("frees expired tasks without being asked", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  const store = new InMemoryTaskStore();
  for (let count = 0; count < 250; count += 1) await store.create(newRecord({ ttlMs: 1_000 + count }), INPUT);
  vi.advanceTimersByTime(1_100);
  expect(store.size).toBe(149);
  vi.advanceTimersByTime(1_000);
  expect(store.size).toBe(0);
  vi.useRealTimers();
});

it.each(["maxTasks", "maxTasksPerPrincipal", "maxBytes", "maxBytesPerPrincipal"])("refuses 0 as %s", (name) => {
  expect(() => new InMemoryTaskStore({ [name]: 0 })).toThrow(`${name}: expected a number from 1, got 0`);
});
