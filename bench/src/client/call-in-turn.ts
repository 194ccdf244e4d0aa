/** One round of a client: so many calls in flight, each answer checked, until the time is over. */
import type { Session } from "../contender.js";
import { check, type Job } from "../workload.js";

export interface CallRound {
  readonly calls: number;
  readonly seconds: number;
  /** Of this process, all threads together. */
  readonly cpuSeconds: number;
}

/** @throws {Error} at the first answer that is not right. */
export async function callInTurn(session: Session, job: Job, inFlight: number, ms: number): Promise<CallRound> {
  const cpuAtStart = process.cpuUsage();
  const startedAt = performance.now();
  let calls = 0;
  const lane = async () => {
    do {
      check(job, await session.call(job.order));
      calls++;
    } while (performance.now() < startedAt + ms);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const { user, system } = process.cpuUsage(cpuAtStart);
  return { calls, seconds: (performance.now() - startedAt) / 1_000, cpuSeconds: (user + system) / 1e6 };
}
