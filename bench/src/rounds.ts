/**
 * Measures contenders against each other in one process: short rounds in turn, again and again, so that what else the
 * machine does falls on all of them alike. Knows sessions and calls, not what they are made of.
 */
import type { Contender, Session } from "./contender.js";
import { check, jobAt } from "./workload.js";

export interface Plan {
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
  /** How many calls are in flight at once, one measurement for each. */
  readonly concurrencies: readonly number[];
}

export interface Measurement {
  readonly contender: Contender;
  readonly concurrency: number;
  /** Calls per second, one figure per round. */
  readonly rates: readonly number[];
}

/** @throws {Error} at the first answer that is not right. */
export async function measure(contenders: readonly Contender[], plan: Plan): Promise<Measurement[]> {
  const entries: { contender: Contender; session: Session }[] = [];
  try {
    for (const contender of contenders) entries.push({ contender, session: await contender.start() });
    const measurements: Measurement[] = [];
    for (const concurrency of plan.concurrencies) {
      for (const { session } of entries) await callsPerSecond(session, concurrency, plan.warmUpMs);
      const rates = entries.map((): number[] => []);
      for (let round = 0; round < plan.rounds; round++) {
        for (let turn = 0; turn < entries.length; turn++) {
          // Each round starts with another contender: nobody always runs after the same neighbor's garbage.
          const index = (turn + round) % entries.length;
          const session = entries[index]?.session as Session; // Within the array by the remainder.
          rates[index]?.push(await callsPerSecond(session, concurrency, plan.roundMs));
        }
      }
      for (const [index, { contender }] of entries.entries()) {
        measurements.push({ contender, concurrency, rates: rates[index] ?? [] });
      }
    }
    return measurements;
  } finally {
    for (const { session } of entries) await session.stop();
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

async function callsPerSecond(session: Session, concurrency: number, durationMs: number): Promise<number> {
  const startedAt = performance.now();
  const deadline = startedAt + durationMs;
  let calls = 0;
  const lane = async () => {
    while (performance.now() < deadline) {
      const job = jobAt(calls++);
      check(job, await session.call(job.order));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return (calls * 1_000) / (performance.now() - startedAt);
}
