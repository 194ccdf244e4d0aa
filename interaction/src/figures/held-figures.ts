/** What a server holds on to, asked of it before and after many requests. */
import { expect } from "vitest";
import type { MeasuredProgram } from "./measured-program.js";

const MEBIBYTE = 1_048_576;

export const BATCH = 250;
const BATCHES = 400;
/** What is compiled, and what grows to its working size, does so in these. */
const WARM_UP_BATCHES = 20;

/** A tenth of the batches, for variants that differ in little from another one, unless `SOAK` asks for all of them. */
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
 * Plays batches, 100,000 requests unless told otherwise, and returns how many requests were played with those of the warm-up.
 * Handlers and sessions are as many afterwards, handles and timers no more, and bytes at most a mebibyte more.
 */
export async function expectNothingLeft(
  program: MeasuredProgram,
  playBatch: () => Promise<void>,
  batches: number = BATCHES,
): Promise<number> {
  for (let left = WARM_UP_BATCHES; left > 0; left -= 1) await playBatch();
  const { bytes: bytesBefore, live: liveBefore, ...before } = await program.ask<Held>({});
  expect(before).toMatchObject({ running: 0, events: 0 });
  for (let left = batches; left > 0; left -= 1) await playBatch();
  const { bytes: bytesAfter, live: liveAfter, ...after } = await program.ask<Held>({});
  expect(after).toEqual(before);
  // An idle connection of the warm-up may have closed meanwhile.
  expect(liveAfter).toBeLessThanOrEqual(liveBefore);
  expect(bytesAfter - bytesBefore).toBeLessThan(MEBIBYTE);
  return BATCH * (WARM_UP_BATCHES + batches);
}
