/**
 * Rounds of the measure "in-process". Time is the CPU time of the process, since all of the work is in it: on a busy
 * machine a clock would also count the waiting. Knows how to ask for a round, not where it runs.
 */
import type { Contender, Session } from "./contender.js";
import { interleave } from "./interleave.js";
import { check, jobAt } from "./workload.js";

export interface Plan {
  readonly rounds: number;
  readonly roundCpuMs: number;
  readonly warmUpCpuMs: number;
  /** How many calls are in flight at once, one measurement for each. */
  readonly concurrencies: readonly number[];
}

/** A contender that is set up and can be asked for a round. */
export interface Runner extends AsyncDisposable {
  readonly contender: Contender;
  /** Runs for so long and tells the calls per second of CPU time. Rejects at the first answer that is not right. */
  round(concurrency: number, cpuMs: number): Promise<number>;
}

export interface Measurement {
  readonly contender: Contender;
  readonly concurrency: number;
  /** Calls per second of CPU time, one figure per round. */
  readonly rates: readonly number[];
}

export async function measure(runners: readonly Runner[], plan: Plan): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const concurrency of plan.concurrencies) {
    for (const runner of runners) await runner.round(concurrency, plan.warmUpCpuMs);
    const entries = await interleave(runners, plan.rounds, (runner) => runner.round(concurrency, plan.roundCpuMs));
    for (const { contender: runner, rounds } of entries) {
      measurements.push({ contender: runner.contender, concurrency, rates: rounds });
    }
  }
  return measurements;
}

/** A runner in this very process. */
export async function runHere(contender: Contender): Promise<Runner> {
  const session = await contender.start();
  return {
    contender,
    round: (concurrency, cpuMs) => callsPerSecond(session, concurrency, cpuMs),
    [Symbol.asyncDispose]: () => session.stop(),
  };
}

/** Asking for the CPU time costs as much as a fast call, so it is not done at every one. */
const CALLS_PER_LOOK = 32;

async function callsPerSecond(session: Session, concurrency: number, cpuMs: number): Promise<number> {
  const startedAt = process.cpuUsage();
  let calls = 0;
  let spentMs = 0;
  const lane = async () => {
    while (spentMs < cpuMs) {
      const job = jobAt(calls++);
      check(job, await session.call(job.order));
      if (calls % CALLS_PER_LOOK === 0) spentMs = cpuMsSince(startedAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return (calls * 1_000) / cpuMsSince(startedAt);
}

function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
