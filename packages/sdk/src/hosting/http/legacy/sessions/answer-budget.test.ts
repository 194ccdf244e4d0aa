import { describe, expect, it } from "vitest";
import { AnswerBudget } from "./answer-budget.js";

function setUp() {
  const clock = { ms: 0 };
  const budget = new AnswerBudget(() => clock.ms);
  const taken = (count: number, characters = 10) =>
    Array.from({ length: count }, () => budget.take(characters)).filter((cost) => cost !== undefined).length;
  return { clock, budget, taken };
}

describe("the answers that a session passes on", () => {
  it("are 128 at once that nobody waits for, and then 16 per second", () => {
    const { clock, taken } = setUp();
    expect(taken(1_000)).toBe(128);
    let count = 0;
    for (clock.ms = 10; clock.ms <= 10_000; clock.ms += 10) count += taken(10);
    expect(count).toBe(160);
  });

  it("are fewer the longer they are", () => {
    const { clock, taken } = setUp();
    expect(taken(1_000, 4_194_304)).toBe(2);
    clock.ms = 100;
    expect(taken(1)).toBe(0);
    clock.ms = 1_000;
    expect(taken(1)).toBe(1);
  });

  it("are not counted if they are waited for", () => {
    const { budget, taken } = setUp();
    for (let count = 0; count < 1_000; count += 1) budget.giveBack(budget.take(100_000) ?? 0);
    expect(taken(1_000)).toBe(128);
  });

  it("do not gather over a long time", () => {
    const { clock, taken } = setUp();
    clock.ms = 1_000_000;
    expect(taken(1_000)).toBe(128);
  });
});
