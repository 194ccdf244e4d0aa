/** Inputs that are searched for the most CPU time per byte. `climb.ts` does the searching. */
import type { Random } from "../random.js";

export interface CostTarget<Input = unknown> {
  readonly name: string;
  /** A small input to begin with. */
  seed(random: Random): Input;
  /** A neighbor of an input: a part doubled, swapped, wrapped or taken out. */
  mutate(input: Input, random: Random): Input;
  /** The size of an input on the wire. */
  bytes(input: Input): number;
  /**
   * Makes an input ready. The returned function is the work that is measured; it runs once.
   * @returns `undefined` for an input beyond the limits of the wire
   */
  prepare(input: Input): (() => void) | undefined;
  /** An input in a form that fits into a test. */
  show(input: Input): string;
}

/** What no input within the limits may take. */
export const MAX_CPU_MS = 200;

/** CPU time of this process, all threads counted. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
