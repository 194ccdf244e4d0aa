/** The measure "in-process": round trips of `tools/call` with client and server in one process and no wire between. */
import { runApart } from "./contender-process.js";
import { CONTENDERS } from "./contenders.js";
import { type Figure, type Measure, takesPart } from "./figure.js";
import { startAll, stopAll } from "./forked.js";
import { measure, type Plan } from "./rounds.js";

const FULL: Plan = { rounds: 15, roundCpuMs: 200, warmUpCpuMs: 2_000, concurrencies: [1, 32] };
const QUICK: Plan = { rounds: 3, roundCpuMs: 50, warmUpCpuMs: 200, concurrencies: [1, 32] };

export const inProcess: Measure = {
  name: "in-process",
  title: "tools/call in process, per second of CPU time: Zod input and output, validated on both sides",
  notMeasured:
    "Not measured: sockets, pipes and other processes; large payloads; other methods; a process that also does other work.",
  targets: [
    { setting: /^modern/, compare: "of-best-peer", at: 3, label: "throughput" },
    { setting: /^legacy/, compare: "of-best-peer", at: 1.5, label: "throughput" },
  ],
  async run({ quick, only }) {
    const contenders = CONTENDERS.filter((contender) => takesPart(contender, only));
    const runners = await startAll(contenders, runApart);
    try {
      return (await measure(runners, quick ? QUICK : FULL)).map(
        ({ contender: { name, era, role, note }, concurrency, rates }): Figure => ({
          measure: "in-process",
          setting: `${era}, ${concurrency} in flight`,
          contender: name,
          role,
          unit: "calls/s",
          values: rates,
          ...(note !== undefined && { note }),
        }),
      );
    } finally {
      await stopAll(runners);
    }
  },
};
