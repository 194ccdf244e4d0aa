/** The length of a soak, the figures that programs report, and the bounds that both soaks share. */
import { expect } from "vitest";

const IS_FULL_LENGTH = process.env.SOAK !== undefined;

/** A minute of attack where `SOAK` is set, and seconds elsewhere. `HOSTILE_MS` sets the length of the attack by itself. */
export const SOAK: { readonly warmUpMs: number; readonly quietMs: number; readonly attackMs: number } = {
  warmUpMs: IS_FULL_LENGTH ? 2_000 : 500,
  quietMs: IS_FULL_LENGTH ? 15_000 : 1_000,
  attackMs: Number(process.env.HOSTILE_MS ?? (IS_FULL_LENGTH ? 60_000 : 3_500)),
};

/** A short soak opens fewer sessions than the default allows, so its limit is lower. */
export const SERVER_SETTINGS: object = IS_FULL_LENGTH ? {} : { maxSessions: 500 };

/** For everything that is asked of a program beyond the phases themselves: draining answers takes the longest. */
export const PATIENCE_MS = 30_000;
export const DEADLINE_MS: number = SOAK.warmUpMs + SOAK.quietMs + SOAK.attackMs + 4 * PATIENCE_MS;

export const HEAP_MEGABYTES = 256;
/** Buffers lie outside of the heap, so that their limit is one of this test. */
const MAX_EXTERNAL_MIB = 128;
/** The memory that one attacker may occupy in a server while its connections and sessions last. */
export const MAX_HELD_MIB = 64;
/** The memory that may differ once they have ended: compiled code, pools, tables that have grown. */
export const MAX_LEFT_MIB = 16;

/** The processor time of reading one body of 4 MiB on the machine that the attacks were made on. */
const REFERENCE_READ_MS = 25;
/** How much slower this machine is. Attacks pace themselves by it, so that they take the same share of any machine. */
export const PACE: number = Math.max(1, largeReadMs() / REFERENCE_READ_MS);

const MAX_SLOWDOWN = 3;
/** The least quiet p99 to compare with: less than reading one large body takes, which nothing can interrupt. */
const LEAST_P99_MS = 15 * PACE;

/** See latencies.js. */
export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly maxMs: number;
  readonly wallP99: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly unanswered: number;
}

/** See memory-meter.js. */
export interface Peaks {
  readonly heapMiB: number;
  readonly externalMiB: number;
  readonly cpuShare: number;
}

/** Every bound is checked, so that a failure lists all that were exceeded. */
export function expectServed(quiet: Latencies, attacked: Latencies): void {
  const figures = JSON.stringify({ quiet, attacked: { ...attacked, failures: undefined } });
  const maxP99 = MAX_SLOWDOWN * Math.max(quiet.p99, LEAST_P99_MS);
  expect.soft(quiet.failures, "failures of the polite side before the attack").toEqual({});
  expect.soft(attacked.failures, "failures of the polite side during the attack").toEqual({});
  expect.soft(attacked.unanswered, "polite calls without an answer").toBe(0);
  // A short run has other tests beside it, whose load it would measure.
  if (IS_FULL_LENGTH) {
    expect.soft(attacked.p99, `p99 of the polite side in ms: ${figures}`).toBeLessThanOrEqual(maxP99);
  }
}

export function expectBounded({ heapMiB, externalMiB }: Peaks): void {
  expect.soft(heapMiB, "peak of the heap in MiB").toBeLessThan(HEAP_MEGABYTES);
  expect.soft(externalMiB, "peak of buffers in MiB").toBeLessThan(MAX_EXTERNAL_MIB);
}

/** The processor time of parsing a JSON text of 4 MiB, at best. */
function largeReadMs(): number {
  const item = JSON.stringify({ name: "a".repeat(10), values: [1, 2, 3] });
  const text = `[${new Array(Math.floor(4_194_304 / (item.length + 1))).fill(item).join(",")}]`;
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    JSON.parse(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}
