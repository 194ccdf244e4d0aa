import fc from "fast-check";
import { expect, it } from "vitest";
import { PACE } from "../../runtime/cpu-time.fixture.js";
import { InMemoryUsedStates } from "./used-states.js";
import { usedStatesContract } from "./used-states-contract.js";

usedStatesContract(async (options) => new InMemoryUsedStates(options));

it("grants an id once", async () => {
  const used = new InMemoryUsedStates({ now: () => 0 });
  expect(await used.claim("a", 10)).toBe(true);
  expect(await used.claim("b", 10)).toBe(true);
  expect(await used.claim("a", 10)).toBe(false);
});

it("takes the time from the machine unless told otherwise", async () => {
  const used = new InMemoryUsedStates();
  expect(await used.claim("past", Date.now() - 1)).toBe(true);
  expect(await used.claim("future", Date.now() + 60_000)).toBe(true);
  expect(used.size).toBe(1);
});

it("forgets what has expired, and refuses it still", async () => {
  let now = 0;
  const used = new InMemoryUsedStates({ now: () => now });
  await used.claim("a", 10);
  await used.claim("b", 20);
  now = 10;
  await used.claim("c", 30);
  expect(used.size).toBe(2);
  now = 0;
  expect(await used.claim("a", 10)).toBe(false);
});

it("makes room by forgetting the one that expires soonest", async () => {
  const used = new InMemoryUsedStates({ maxStates: 20, now: () => 0 });
  for (let index = 20; index > 0; index -= 1) await used.claim(`id${index}`, index);
  expect(used.size).toBe(20);
  expect(await used.claim("late", 100)).toBe(true);
  expect(used.size).toBe(20);
  expect(await used.claim("never seen, but as old as the forgotten", 1)).toBe(false);
  expect(await used.claim("never seen, and younger", 1.5)).toBe(true);
  expect(await used.claim("id2", 2)).toBe(false);
});

it("makes room in a full store without going through all of it", async () => {
  const used = new InMemoryUsedStates({ now: () => 0 });
  for (let index = 1; index <= 100_000; index += 1) await used.claim(`id${index}`, (index * 7_919) % 100_003);
  const times: number[] = [];
  for (let index = 1; index <= 10; index += 1) {
    const before = process.cpuUsage();
    await used.claim(`late${index}`, 200_000 + index);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1e3);
  }
  expect(Math.max(...times)).toBeLessThan(50 * PACE);
});

it("forgets no more than 1,000 expired ones at a claim", async () => {
  let now = 0;
  const used = new InMemoryUsedStates({ now: () => now });
  for (let index = 1; index <= 2_500; index += 1) await used.claim(`id${index}`, 10);
  now = 10;
  const sizes: number[] = [];
  for (const id of ["a", "b", "c"]) {
    await used.claim(id, 20);
    sizes.push(used.size);
  }
  expect(sizes).toEqual([1_501, 502, 3]);
});

it("remembers 100,000 by default", async () => {
  const used = new InMemoryUsedStates({ now: () => 0 });
  for (let index = 1; index <= 100_000; index += 1) await used.claim(`id${index}`, index);
  expect(used.size).toBe(100_000);
  await used.claim("one more", 100_001);
  expect(used.size).toBe(100_000);
});

it("never grants an id twice nor grows past its limit, whatever the clock does", async () => {
  const principals = [undefined, "ann", "bob"];
  const step = fc.record({ id: fc.nat({ max: 20 }), now: fc.nat({ max: 30 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 8 }), async (steps, maxStates) => {
      let now = 0;
      const used = new InMemoryUsedStates({ maxStates, now: () => now });
      const granted = new Set<number>();
      for (const { id, now: next } of steps) {
        now = next;
        const expiresAt = (id * 7) % 30; // a state's expiry is part of it
        if (!(await used.claim(String(id), expiresAt, principals[id % 3]))) continue;
        expect(granted).not.toContain(id);
        granted.add(id);
        expect(used.size).toBeLessThanOrEqual(maxStates);
      }
    }),
  );
});

it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("does not take %s for a limit", (maxStates) => {
  expect(() => new InMemoryUsedStates({ maxStates })).toThrow(
    expect.objectContaining({
      code: "invalid-argument",
      message: `maxStates: expected a whole number from 1, got ${maxStates}`,
    }),
  );
});

it("makes room among the states of a principal that had several, else among those of all", async () => {
  const used = new InMemoryUsedStates({ now: () => 0, maxStates: 2 });
  await used.claim("hers", 50, "ada");
  await used.claim("his", 100, "bob");
  // Bob had one state, so the state of all that expires soonest is forgotten, which is Ada's.
  await used.claim("his second", 200, "bob");
  expect(await used.claim("his third", 90, "bob")).toBe(true);
});
