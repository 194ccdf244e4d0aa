/** tools/call over the standard streams of another process, one at a time and 64 deep. */
import type { Figure, Measure, RunOptions } from "./figure.js";
import { interleave } from "./interleave.js";
import { LineLoad } from "./stdio/line-load.js";
import { LineProcess } from "./stdio/line-process.js";
import { type StdioContender, stdioContenders } from "./stdio/stdio-contenders.js";

interface Plan {
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
}

const FULL: Plan = { rounds: 11, roundMs: 300, warmUpMs: 2_000 };
const QUICK: Plan = { rounds: 3, roundMs: 100, warmUpMs: 400 };
const DEPTHS = [1, 64];

export const stdio: Measure = {
  name: "stdio",
  title: "tools/call over stdio",
  notMeasured:
    "The load writes prepared lines from a process of its own and compares answers with those it has checked: it is no " +
    "MCP client. It takes turns with the server, so the faster a server is, the more of the time is the load's; by the " +
    "server's CPU time alone, the floor is further ahead. Not measured: large messages, notifications, several clients.",
  targets: [
    { setting: "modern, 64 in flight", compare: "of-floor", at: 0.6, label: "stdio, 64 deep" },
    { setting: "legacy, 64 in flight", compare: "of-floor", at: 0.65, label: "stdio, 64 deep" },
  ],
  run: ({ quick, only }: RunOptions) => measureStdio(stdioContenders(only), quick ? QUICK : FULL),
};

async function measureStdio(contenders: readonly StdioContender[], plan: Plan): Promise<readonly Figure[]> {
  const running = contenders.map((contender) => {
    const lines = new LineProcess([contender.program]);
    return { contender, lines, load: new LineLoad(lines, contender) };
  });
  try {
    for (const { contender, load } of running) await named(contender, load.open());
    for (const { contender, load } of running) await named(contender, load.callsPerSecond(64, plan.warmUpMs));
    const entries = await interleave(running, plan.rounds, async ({ contender, load }) => {
      const rates: number[] = [];
      for (const depth of DEPTHS) rates.push(await named(contender, load.callsPerSecond(depth, plan.roundMs)));
      return rates;
    });
    return entries.flatMap(({ contender: { contender }, rounds }) =>
      DEPTHS.map((depth, index) =>
        figure(
          contender,
          depth,
          rounds.map((rates) => rates[index] ?? Number.NaN),
        ),
      ),
    );
  } finally {
    for (const { lines } of running) await lines[Symbol.asyncDispose]();
  }
}

function figure({ name, role, era, note }: StdioContender, depth: number, values: readonly number[]): Figure {
  const setting = `${era}, ${depth} in flight`;
  return { measure: "stdio", setting, contender: name, role, unit: "calls/s", values, ...(note && { note }) };
}

/** Says whose fault it is. */
async function named<T>({ name, era }: StdioContender, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new Error(`${name}, ${era}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
