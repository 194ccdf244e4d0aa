import { afterAll, describe, expect, it, test } from "vitest";
import { PACE } from "../../packages/sdk/src/runtime/cpu-time.fixture.js";
import { generate, runCampaign } from "./campaign.js";
import { climb } from "./cost/climb.js";
import type { CostTarget } from "./cost/cost-target.js";
import { COST_TARGETS } from "./cost/cost-targets.js";
import { readFindings } from "./findings.js";
import { missingOutcomes, renderClimb, renderClimbs, renderFinding, renderTable } from "./report.js";
import { violationOf } from "./shrink.js";
import { demand, field, type Target } from "./target.js";
import { TARGETS } from "./targets.js";

const SEED = 20_260_728;
const TOTAL = 20_000;

afterAll(async () => {
  for (const target of TARGETS) await target.close?.();
});

describe("a short run with one seed", () => {
  const shares = TARGETS.reduce((sum, { share }) => sum + share, 0);

  it.each(TARGETS)("finds nothing in $name", { timeout: 60_000 }, async (target) => {
    const executions = Math.ceil((TOTAL * target.share) / shares);
    const { findings, outcomes } = await runCampaign(target, { seed: SEED, executions, maxFindings: 1 });
    expect(findings.map(renderFinding).join("\n")).toBe("");
    expect(outcomes.size).toBeGreaterThan(1);
  });
});

/** Counting coverage takes two to three times as long, and the machine may be slow. `npm run fuzz` holds the bound of 200 ms. */
const COUNTED_CPU_MS = 600 * PACE;

describe("a short search for cost with one seed", () => {
  it.each(COST_TARGETS)("finds nothing in $name", { timeout: 60_000 }, (target) => {
    const { isTooSlow, input } = climb(target, {
      seed: SEED,
      maxMs: 10_000,
      maxAttempts: 12,
      maxCpuMs: COUNTED_CPU_MS,
    });
    expect(isTooSlow ? input : "").toBe("");
  });
});

describe("a search for cost", () => {
  /** Takes time with the square of its input. */
  const planted: CostTarget<number> = {
    name: "planted-cost",
    seed: () => 1,
    mutate: (size) => size * 2,
    bytes: (size) => size,
    prepare: (size) => (size > 1_000_000 ? undefined : () => spin(size * size)),
    show: String,
  };
  const spin = (rounds: number) => {
    for (let sum = 0, round = 0; round < rounds; round += 1) sum += Math.sqrt(round + sum);
  };

  test("climbs to an input that takes too long, and says how to see it again", { timeout: 30_000 }, () => {
    const found = climb(planted, { seed: 1, maxMs: 20_000, maxCpuMs: 20 });
    expect(found.isTooSlow).toBe(true);
    expect(Number(found.input)).toBeGreaterThan(1_000);
    expect(renderClimb(found, 1)).toContain("npm run fuzz -- --only planted-cost --seed 1");
    expect(renderClimbs([found])).toContain("planted-cost: ");
  });

  test("passes over inputs beyond the limits, and ends when its time is up", () => {
    const found = climb({ ...planted, prepare: () => undefined }, { seed: 1, maxMs: 0 });
    expect(found).toMatchObject({ attempts: 1, cpuMs: 0, isTooSlow: false });
  });
});

describe("what was found before", () => {
  const known = readFindings(new URL("../findings/", import.meta.url));

  it.each(known)("$target: $property", { timeout: 30_000 }, async ({ target: name, input }) => {
    const target = TARGETS.find((candidate) => candidate.name === name);
    if (target === undefined) throw new Error(`findings/${name}.json names no target`);
    expect((await violationOf(target, input))?.message).toBeUndefined();
  });
});

/** Fails on every text with two x in it; pollutes, throws or dawdles where it is told to. */
function planted(fault: "demand" | "throw" | "slow" | "pollute"): Target {
  return {
    name: "planted",
    share: 1,
    maxMs: fault === "slow" ? -1 : 1_000,
    outcomes: ["fine", "never"],
    generate: (random) => ({
      text: random.text([..."abx"], 0, 12),
      json: JSON.stringify({ a: [random.below(9)], b: 1 }),
    }),
    check(input) {
      const text = field(input, "text");
      const isBroken = (text.match(/x/g) ?? []).length >= 2;
      if (fault === "demand") demand(!isBroken, "has one x at most", () => text);
      if (fault === "throw" && isBroken) throw new TypeError("x is not a function");
      if (fault === "pollute" && isBroken)
        Object.defineProperty(Object.prototype, "planted", { value: 1, configurable: true });
      return "fine";
    },
  };
}

describe("a campaign", () => {
  test("is the same for the same seed and another for another", () => {
    const inputs = (seed: number) => TARGETS.map((target) => generate(target, seed, 3));
    expect(inputs(1)).toEqual(inputs(1));
    expect(inputs(1)).not.toEqual(inputs(2));
  });

  test("finds a property that does not hold, and makes its input small", async () => {
    const { findings, outcomes } = await runCampaign(planted("demand"), { seed: 1, executions: 500 });
    expect(findings).toMatchObject([{ property: "has one x at most", seed: 1, input: { text: "xx", json: "" } }]);
    expect(outcomes.get("fine")).toBeGreaterThan(0);
  });

  test("takes an error that nobody documented for a finding", async () => {
    const { findings } = await runCampaign(planted("throw"), { seed: 1, executions: 500 });
    expect(findings[0]?.message).toContain("TypeError: x is not a function");
    expect(findings[0]?.input).toEqual({ text: "xx", json: "" });
  });

  test("notices a prototype that was changed", async () => {
    try {
      const { findings } = await runCampaign(planted("pollute"), { seed: 1, executions: 500, maxFindings: 1 });
      expect(findings[0]?.property).toBe("leaves prototypes alone");
    } finally {
      Reflect.deleteProperty(Object.prototype, "planted");
    }
  });

  test("notices what takes too long", async () => {
    const { findings } = await runCampaign(planted("slow"), { seed: 1, executions: 3, maxFindings: 1 });
    expect(findings[0]?.property).toBe("is quick");
  });

  test("says what came out, what never did, and how to see a finding again", async () => {
    const campaign = await runCampaign(planted("demand"), { seed: 1, executions: 500 });
    expect(missingOutcomes(campaign)).toEqual(["never"]);
    expect(renderTable([campaign])).toMatch(/planted +\d+ +\d+\.\d s +1 +fine \d+/);
    const [finding] = campaign.findings;
    expect(finding && renderFinding(finding)).toContain(`--seed 1 --executions ${Number(finding?.index) + 1}`);
  });
});
