import fc from "fast-check";
import { expect, test } from "vitest";
import { DpopReplays } from "./dpop-replays.js";

test("a proof is accepted once", () => {
  const replays = new DpopReplays({ maxRemembered: 10, keepMs: 1_000 });
  expect(replays.add("a", 0, 0)).toBe(true);
  expect(replays.add("a", 0, 1_000)).toBe(false);
  expect(replays.add("b", 0, 1_000)).toBe(true);
});

test("proofs are forgotten when they are too old to be accepted", () => {
  const replays = new DpopReplays({ maxRemembered: 10, keepMs: 1_000 });
  for (const [index, id] of ["a", "b", "c"].entries()) replays.add(id, index, index);
  replays.add("d", 1_002, 1_002);
  expect(replays.size).toBe(2);
});

test("a proof older than one that was forgotten too early is refused", () => {
  const replays = new DpopReplays({ maxRemembered: 2, keepMs: 60_000 });
  replays.add("a", 100, 100);
  replays.add("b", 200, 200);
  replays.add("c", 300, 300);
  expect(replays.size).toBe(2);
  expect(replays.add("a", 100, 400)).toBe(false);
  expect(replays.add("late", 100, 400)).toBe(false);
  expect(replays.add("d", 400, 400)).toBe(true);
});

test("no proof that was issued before it arrived is accepted twice, however many there are", () => {
  const arrival = fc.record({ id: fc.integer({ min: 0, max: 20 }), pauseMs: fc.integer({ min: 0, max: 300 }) });
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 100 }), fc.integer({ min: 1, max: 8 }), (arrivals, maxRemembered) => {
      const replays = new DpopReplays({ maxRemembered, keepMs: 1_000 });
      const issued = new Map<number, number>();
      const accepted = new Set<number>();
      let nowMs = 0;
      for (const { id, pauseMs } of arrivals) {
        nowMs += pauseMs;
        const issuedMs = issued.get(id) ?? nowMs;
        issued.set(id, issuedMs);
        if (nowMs - issuedMs > 1_000) continue;
        const isAccepted = replays.add(String(id), issuedMs, nowMs);
        expect(isAccepted && accepted.has(id)).toBe(false);
        if (isAccepted) accepted.add(id);
        expect(replays.size).toBeLessThanOrEqual(maxRemembered);
      }
    }),
  );
});
