import { describe, expect, it } from "vitest";
import { type Comparison, type Figure, type Measure, median, takesPart } from "./figure.js";
import { interleave } from "./interleave.js";
import { judge, timesOther } from "./verdict.js";

describe("judge", () => {
  const rates = [
    figure("ours", [290, 300, 310]),
    figure("floor", [400, 400, 400]),
    figure("peer", [10, 10, 10], "slow"),
    figure("peer", [100, 100, 100], "fast"),
    figure("reference", [1_000, 1_000, 1_000], "bare"),
  ];

  it.each<[Comparison, number, boolean, number, string | undefined]>([
    ["of-floor", 0.75, true, 0.75, "floor"],
    ["of-floor", 0.76, false, 0.75, "floor"],
    ["times-floor", 0.75, true, 0.75, "floor"],
    ["times-floor", 0.74, false, 0.75, "floor"],
    ["of-best-peer", 3, true, 3, "fast"],
    ["of-best-peer", 3.01, false, 3, "fast"],
    ["above-floor", -100, true, -100, "floor"],
    ["above-floor", -101, false, -100, "floor"],
    ["absolute", 300, true, 300, undefined],
    ["absolute", 299, false, 300, undefined],
  ])("%s at %d is reached: %j", (compare, at, isReached, actual, against) => {
    const [verdict, ...others] = judge(measureOf(compare, at), rates);
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({ measure: "m", setting: "s", compare, target: at, isReached, actual });
    expect(verdict?.against).toBe(against);
  });

  it("takes the lowest as the best peer where less is better", () => {
    const figures = [
      figure("ours", [10], "us", "ms"),
      figure("peer", [20], "quick", "ms"),
      figure("peer", [50], "slow", "ms"),
    ];
    expect(judge(measureOf("of-best-peer", 1), figures)[0]).toMatchObject({ against: "quick", actual: 0.5 });
  });

  it("judges every setting that a pattern matches, and no other", () => {
    const figures = ["32 connections", "256 connections", "1 connection"].flatMap((setting) => [
      { ...figure("ours", [1]), setting },
      { ...figure("floor", [2]), setting },
    ]);
    const verdicts = judge(measureOf("of-floor", 0.5, /connections$/), figures);
    expect(verdicts.map(({ setting }) => setting)).toEqual(["32 connections", "256 connections"]);
  });

  it.each([
    ["nothing was measured", []],
    ["another setting was", rates.map((one) => ({ ...one, setting: "other" }))],
    ["the floor is missing", rates.filter(({ role }) => role !== "floor")],
    ["ours is missing", rates.filter(({ role }) => role !== "ours")],
  ])("misses where %s", (_, figures) => {
    const [verdict] = judge(measureOf("of-floor", 0.1), figures);
    expect(verdict).toMatchObject({ isReached: false });
    expect(verdict).not.toHaveProperty("actual");
  });
});

describe("timesOther", () => {
  it("compares round by round, for the machine is the same within one", () => {
    const ours = figure("ours", [200, 30, 40]);
    const floor = figure("floor", [100, 10, 40]);
    expect(timesOther(ours, floor)).toBe(2);
  });

  it("compares medians where there are not as many rounds", () => {
    expect(timesOther(figure("ours", [30]), figure("floor", [10, 1, 100]))).toBe(3);
  });
});

describe("median", () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[10, 9], 9.5],
  ])("of %j is %d", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it("of nothing is nothing", () => {
    expect(() => median([])).toThrow("no values");
  });
});

describe("takesPart", () => {
  it("keeps ours and the floor whoever is asked for", () => {
    const contenders = [
      figure("ours", [1], "us"),
      figure("floor", [1]),
      figure("peer", [1], "a"),
      figure("peer", [1], "b"),
    ];
    const names = contenders.filter(({ contender, role }) => takesPart({ name: contender, role }, "a"));
    expect(names.map(({ contender }) => contender)).toEqual(["us", "floor", "a"]);
  });
});

describe("interleave", () => {
  it("lets contenders run in turn, each round starting with the next", async () => {
    const turns: string[] = [];
    const entries = await interleave(["a", "b", "c"], 3, async (name) => turns.push(name));
    expect(turns.join("")).toBe("abcbcacab");
    expect(entries).toEqual([
      { contender: "a", rounds: [1, 6, 8] },
      { contender: "b", rounds: [2, 4, 9] },
      { contender: "c", rounds: [3, 5, 7] },
    ]);
  });
});

function figure(
  role: Figure["role"],
  values: number[],
  contender: string = role,
  unit: Figure["unit"] = "calls/s",
): Figure {
  return { measure: "m", setting: "s", contender, role, unit, values };
}

function measureOf(compare: Comparison, at: number, setting: string | RegExp = "s"): Measure {
  const targets = [{ setting, compare, at, label: "throughput" }];
  return { name: "m", title: "t", notMeasured: "n", targets, run: async () => [] };
}
