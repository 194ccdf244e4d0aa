/**
 * Climbs towards the input with the most CPU time per byte: keeps the best inputs, takes neighbors of them, keeps those
 * that are better. The seed fixes the order of choices; what is better is measured, so two runs may differ.
 */
import { Random, streamOf } from "../random.js";
import { type CostTarget, cpuMsOf, MAX_CPU_MS } from "./cost-target.js";

export interface ClimbOptions {
  readonly seed: number;
  /** Wall-clock time for the whole climb. */
  readonly maxMs: number;
  /** Inputs to try, if the time is enough. */
  readonly maxAttempts?: number;
  /** CPU time that is too much. */
  readonly maxCpuMs?: number;
}

export interface Climb {
  readonly target: string;
  readonly attempts: number;
  /** The input that took most CPU time, however long it is. */
  readonly cpuMs: number;
  readonly bytes: number;
  readonly input: string;
  /** Whether it took more than it may. */
  readonly isTooSlow: boolean;
}

interface Measured<Input> {
  readonly input: Input;
  readonly cpuMs: number;
  readonly bytes: number;
}

/** How many inputs are kept for their time per byte, and as many for their time. */
const KEPT = 4;
/** Short inputs are measured too coarsely for their time per byte to mean anything. */
const BASE_BYTES = 2_000;
/** A busy machine and a cold engine make anything slow once. */
const REPETITIONS = 6;

export function climb<Input>(target: CostTarget<Input>, options: ClimbOptions): Climb {
  const { seed, maxMs, maxAttempts = Number.POSITIVE_INFINITY, maxCpuMs = MAX_CPU_MS } = options;
  const random = new Random(seed, streamOf(target.name), 0);
  const until = performance.now() + maxMs;
  let best: Measured<Input>[] = [];
  let worst: Measured<Input> | undefined;
  let attempts = 0;
  while (attempts < maxAttempts && (attempts === 0 || performance.now() < until)) {
    attempts += 1;
    const input = best.length < 2 || random.oneIn(20) ? target.seed(random) : neighbor(target, best, random);
    const measured = measure(target, input, maxCpuMs);
    if (measured === undefined) continue;
    if (worst === undefined || measured.cpuMs > worst.cpuMs) worst = measured;
    if (measured.cpuMs > maxCpuMs) break;
    best = bestOf([...best, measured]);
  }
  const { cpuMs = 0, bytes = 0 } = worst ?? {};
  const input = worst === undefined ? "" : target.show(worst.input);
  return { target: target.name, attempts, cpuMs, bytes, input, isTooSlow: cpuMs > maxCpuMs };
}

function bestOf<Input>(found: readonly Measured<Input>[]): Measured<Input>[] {
  const dearest = found.toSorted((one, other) => scoreOf(other) - scoreOf(one)).slice(0, KEPT);
  const slowest = found.toSorted((one, other) => other.cpuMs - one.cpuMs).slice(0, KEPT);
  return [...new Set([...dearest, ...slowest])];
}

function neighbor<Input>(target: CostTarget<Input>, best: readonly Measured<Input>[], random: Random): Input {
  let { input } = random.pick(best);
  for (let round = random.between(1, 3); round > 0; round -= 1) input = target.mutate(input, random);
  return input;
}

/** Once, and again while the input seems to take too long. */
function measure<Input>(target: CostTarget<Input>, input: Input, maxCpuMs: number): Measured<Input> | undefined {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < REPETITIONS && least > maxCpuMs; round += 1) {
    const work = target.prepare(input);
    if (work === undefined) return undefined;
    least = Math.min(least, cpuMsOf(work));
  }
  return { input, cpuMs: least, bytes: target.bytes(input) };
}

function scoreOf<Input>({ cpuMs, bytes }: Measured<Input>): number {
  return cpuMs / (bytes + BASE_BYTES);
}
