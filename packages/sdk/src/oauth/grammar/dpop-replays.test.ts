import fc from "fast-check";
import { expect, test } from "vitest";
import { DpopReplays } from "./dpop-replays.js";

test("a proof is accepted once", () => {
  const replays = new DpopReplays({ maxRemembered: 10, keepMs: 1_000 });
  expect(replays.add("a", "owner", 0, 0)).toBe(true);
  expect(replays.add("a", "owner", 0, 1_000)).toBe(false);
  expect(replays.add("b", "owner", 0, 1_000)).toBe(true);
});

test("proofs are forgotten when they are too old to be accepted", () => {
  const replays = new DpopReplays({ maxRemembered: 10, keepMs: 1_000 });
  for (const [index, id] of ["a", "b", "c"].entries()) replays.add(id, "owner", index, index);
  replays.add("d", "owner", 1_002, 1_002);
  expect(replays.size).toBe(2);
});

test("a proof older than one that was forgotten too early is refused", () => {
  const replays = new DpopReplays({ maxRemembered: 2, keepMs: 60_000 });
  replays.add("a", "owner", 100, 100);
  replays.add("b", "owner", 200, 200);
  replays.add("c", "owner", 300, 300);
  expect(replays.size).toBe(2);
  expect(replays.add("a", "owner", 100, 400)).toBe(false);
  expect(replays.add("late", "owner", 100, 400)).toBe(false);
  expect(replays.add("d", "owner", 400, 400)).toBe(true);
});

test("a proof that was issued ahead of time is not accepted again after it was forgotten", () => {
  const replays = new DpopReplays({ maxRemembered: 1, keepMs: 60_000 });
  replays.add("ahead", "owner", 50_000, 100);
  replays.add("b", "other", 60_000, 200);
  expect(replays.add("ahead", "owner", 50_000, 300)).toBe(false);
});

test("an owner that fills the table forgets its own proofs, and costs others nothing", () => {
  const replays = new DpopReplays({ maxRemembered: 3, keepMs: 60_000 });
  replays.add("a", "polite", 100, 100);
  for (let now = 101; now < 200; now += 1) expect(replays.add(`m${now}`, "greedy", now, now)).toBe(true);
  expect(replays.size).toBe(3);
  expect(replays.add("a", "polite", 100, 200)).toBe(false);
  expect(replays.add("late", "polite", 101, 200)).toBe(true);
  expect(replays.add("m101", "greedy", 101, 200)).toBe(false);
  expect(replays.add("m150", "greedy", 150, 200)).toBe(false);
});

test("proofs dated ahead that fill the table cost those of other owners nothing", () => {
  const replays = new DpopReplays({ maxRemembered: 5, keepMs: 180_000 });
  for (let now = 100; now < 110; now += 1) replays.add(`m${now}`, "greedy", now + 60_000, now);
  for (const owner of ["ann", "ben", "eve"]) expect(replays.add(owner, owner, 200, 200)).toBe(true);
  expect(replays.add("m105", "greedy", 60_105, 300)).toBe(false);
});

test("the proofs that an owner has forgotten stay refused after others have displaced all of its proofs", () => {
  const replays = new DpopReplays({ maxRemembered: 2, keepMs: 60_000 });
  replays.add("ahead", "owner", 50_000, 100);
  replays.add("b", "owner", 60_000, 200);
  replays.add("c", "owner", 55_000, 300);
  for (const id of ["d", "e"]) replays.add(id, id, 70_000, 400);
  expect(replays.add("ahead", "owner", 50_000, 500)).toBe(false);
});

test("no proof is accepted twice, however many there are, of how many keys", () => {
  const arrival = fc.record({
    id: fc.integer({ min: 0, max: 20 }),
    pauseMs: fc.integer({ min: 0, max: 300 }),
    aheadMs: fc.integer({ min: -200, max: 500 }),
  });
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 100 }), fc.integer({ min: 1, max: 8 }), (arrivals, maxRemembered) => {
      const replays = new DpopReplays({ maxRemembered, keepMs: 1_500 });
      const issued = new Map<number, number>();
      const accepted = new Set<number>();
      let nowMs = 0;
      for (const { id, pauseMs, aheadMs } of arrivals) {
        nowMs += pauseMs;
        const issuedMs = issued.get(id) ?? nowMs + aheadMs;
        issued.set(id, issuedMs);
        if (nowMs - issuedMs > 1_000) continue;
        const isAccepted = replays.add(String(id), `key${id % 3}`, issuedMs, nowMs);
        expect(isAccepted && accepted.has(id)).toBe(false);
        if (isAccepted) accepted.add(id);
        expect(replays.size).toBeLessThanOrEqual(maxRemembered);
      }
    }),
  );
});
