/** What a server holds on to, asked of it before and after something was done to it a hundred thousand times. */
import { expect } from "vitest";
import type { MeasuredProgram } from "./measured-program.js";

const MEBIBYTE = 1_048_576;

export const BATCH = 250;
const BATCHES = 400;
/** What is compiled, and what grows to its working size, does so in these. */
const WARM_UP_BATCHES = 20;

/** A tenth of it, for variants that differ in little from another one, unless `SOAK` asks for all of it. */
export const SHORTENED: number = process.env.SOAK === undefined ? BATCHES / 10 : BATCHES;

interface Held {
  readonly bytes: number;
  /** Timers and sockets. */
  readonly live: number;
  readonly running: number;
  readonly sessions: number;
  readonly events: number;
}

/**
 * Plays 100,000 in batches, and says how many were played with those before. Handles, timers, handlers and sessions are
 * as many afterwards, and bytes a mebibyte more at most.
 */
export async function expectNothingLeft(
  program: MeasuredProgram,
  playBatch: () => Promise<void>,
  batches: number = BATCHES,
): Promise<number> {
  for (let left = WARM_UP_BATCHES; left > 0; left -= 1) await playBatch();
  const { bytes: bytesBefore, ...before } = await program.ask<Held>({});
  expect(before).toMatchObject({ running: 0, events: 0 });
  for (let left = batches; left > 0; left -= 1) await playBatch();
  const { bytes: bytesAfter, ...after } = await program.ask<Held>({});
  expect(after).toEqual(before);
  expect(bytesAfter - bytesBefore).toBeLessThan(MEBIBYTE);
  return BATCH * (WARM_UP_BATCHES + batches);
}
