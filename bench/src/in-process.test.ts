import { describe, expect, it, vi } from "vitest";
import type { Contender, Session } from "./contender.js";
import { CONTENDERS } from "./contenders.js";
import { measure, type Runner, runHere } from "./rounds.js";
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
      expect(await refusal(session.call({ sku: MISPRICED, quantity: 1 }))).toMatch(/structured|the tool failed/i);
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
