import { describe, expect, it, vi } from "vitest";
import type { Contender, Session } from "./contender.js";
import { CONTENDERS } from "./contenders.js";
import { judge, renderTable, renderVerdict, toRows } from "./report.js";
import { type Measurement, measure, median, type Runner, runHere } from "./rounds.js";
import { type Answer, check, jobAt, MISPRICED } from "./workload.js";

describe.each(CONTENDERS.map((contender) => ({ id: `${contender.name}, ${contender.era}`, contender })))(
  "$id",
  ({ contender }) => {
    it("answers every order with its quote, also when many are in flight", async () => {
      await using session = await open(contender);
      await Promise.all(
        Array.from({ length: 64 }, async (_, index) => {
          const job = jobAt(index);
          check(job, await session.call(job.order));
        }),
      );
    });

    it("refuses arguments that the input schema forbids", async () => {
      await using session = await open(contender);
      expect(await refusal(session.call({ sku: "a", quantity: 0 }))).toContain("quantity");
    });

    it("refuses a value that the output schema forbids", async () => {
      const report = vi.spyOn(console, "error").mockReturnValue();
      await using session = await open(contender);
      // Some tell the caller what the tool got wrong, some tell only the server's log.
      expect(await refusal(session.call({ sku: MISPRICED, quantity: 1 }))).toMatch(/structured|internal error/i);
      report.mockRestore();
    });
  },
);

describe("check", () => {
  const job = jobAt(2);
  const answer = { structuredContent: job.expected, content: [{ type: "text", text: job.text }] };

  it("accepts the right answer", () => {
    expect(() => check(job, answer)).not.toThrow();
  });

  it.each([
    ["nothing", {}],
    ["another order's quote", { ...answer, structuredContent: jobAt(3).expected }],
    ["a line that differs", { ...answer, structuredContent: { ...job.expected, lines: [{}, {}] } }],
    ["no text", { ...answer, content: [] }],
    ["another text", { ...answer, content: [{ type: "text", text: "{}" }] }],
  ])("refuses %s", (_, wrong: Answer) => {
    expect(() => check(job, wrong)).toThrow("sku-2: expected");
  });
});

describe("measure", () => {
  const plan = { rounds: 3, roundCpuMs: 1, warmUpCpuMs: 1, concurrencies: [1, 4] };

  it("takes a rate per round and concurrency from each", async () => {
    const measurements = await measure([await runHere(fake("a")), await runHere(fake("b"))], plan);
    expect(
      measurements.map(({ contender, concurrency, rates }) => [contender.name, concurrency, rates.length]),
    ).toEqual([
      ["a", 1, 3],
      ["b", 1, 3],
      ["a", 4, 3],
      ["b", 4, 3],
    ]);
  });

  it("lets them run in turn, each round starting with the next", async () => {
    const turns: string[] = [];
    const runner = (name: string): Runner => ({
      contender: fake(name),
      round: async (concurrency, cpuMs) => turns.push(`${name}${concurrency}:${cpuMs}`),
      [Symbol.asyncDispose]: async () => undefined,
    });
    await measure([runner("a"), runner("b")], { rounds: 3, roundCpuMs: 5, warmUpCpuMs: 9, concurrencies: [1] });
    expect(turns).toEqual(["a1:9", "b1:9", "a1:5", "b1:5", "b1:5", "a1:5", "a1:5", "b1:5"]);
  });

  it("keeps as many calls in flight as it is asked to", async () => {
    let inFlight = 0;
    let most = 0;
    const { start } = fake("a");
    const contender: Contender = {
      ...fake("a"),
      start: async () => {
        const session = await start();
        const call: Session["call"] = async (order) => {
          most = Math.max(most, ++inFlight);
          const answer = await session.call(order);
          inFlight--;
          return answer;
        };
        return { ...session, call };
      },
    };
    await (await runHere(contender)).round(4, 1);
    expect(most).toBe(4);
  });

  it("gives up at a wrong answer", async () => {
    const liar: Contender = {
      ...fake("liar"),
      start: async () => ({ call: async () => ({}), stop: async () => undefined }),
    };
    await expect(measure([await runHere(liar)], plan)).rejects.toThrow("expected");
  });

  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
  ])("takes the median of %j as %d", (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});

describe("the verdict", () => {
  const row = (name: string, role: Contender["role"], era: Contender["era"], rate: number): Measurement => ({
    contender: { ...fake(name), role, era },
    concurrency: 1,
    rates: [rate, rate, rate],
  });
  const rows = toRows([
    row("us", "ours", "modern", 290),
    row("slow", "peer", "modern", 10),
    row("fast", "peer", "modern", 100),
    row("bare", "reference", "modern", 1_000),
    row("us", "ours", "legacy", 150),
    row("fast", "peer", "legacy", 100),
  ]);

  it("compares us with the fastest peer of the era, not with what is only shown", () => {
    expect(judge(rows).map(renderVerdict)).toEqual([
      "modern, 1 in flight: 2.90 × fast, the fastest peer (target 3 ×: missed)",
      "legacy, 1 in flight: 1.50 × fast, the fastest peer (target 1.5 ×: reached)",
    ]);
  });

  it("is shown with the ratio to everyone", () => {
    expect(
      renderTable(rows)
        .split("\n")
        .map((line) => line.split(/\s{2,}/)),
    ).toEqual([
      ["era", "in flight", "contender", "calls/CPU s", "± half", "ours is"],
      ["modern", "1", "us", "290", "0 %", "1.00 ×"],
      ["modern", "1", "slow", "10", "0 %", "29.00 ×"],
      ["modern", "1", "fast", "100", "0 %", "2.90 ×"],
      ["modern", "1", "(bare)", "1,000", "0 %", "0.29 ×"],
      ["legacy", "1", "us", "150", "0 %", "1.00 ×"],
      ["legacy", "1", "fast", "100", "0 %", "1.50 ×"],
    ]);
  });
});

async function open(contender: Contender) {
  const session = await contender.start();
  return { call: session.call, [Symbol.asyncDispose]: session.stop };
}

/** What is wrong, said by an error result or by what the call rejects with: implementations differ. */
async function refusal(call: Promise<Answer & { isError?: unknown }>): Promise<string> {
  try {
    const answer = await call;
    return answer.isError === true ? JSON.stringify(answer.content) : "";
  } catch (error) {
    return String(error);
  }
}

function fake(name: string): Contender {
  return {
    name,
    era: "modern",
    role: "peer",
    start: async () => ({
      call: async (order) => {
        const job = jobAt(Number(order.sku.slice("sku-".length)));
        return { structuredContent: job.expected, content: [{ type: "text", text: job.text }] };
      },
      stop: async () => undefined,
    }),
  };
}
