/** What many tasks hold and leave behind, in a process with a heap of 256 MB. */
import { expect } from "vitest";
import { MeasuredProgram } from "../../src/figures/measured-program.js";
import { verifies } from "../../src/verifies.js";

const MEBIBYTE = 1_048_576;
const SLOW = { deadlineMs: 240_000 };
const HEAP = ["--max-old-space-size=256"];
const ROUNDS = process.env.SOAK === undefined ? 10 : 100;

interface Held {
  readonly bytes: number;
  readonly waiting: number;
  readonly ended: number;
}

verifies("figures:tasks:open", "ten thousand tasks that wait for an answer take less than 160 MiB", SLOW, async () => {
  await using program = await MeasuredProgram.start("many-tasks.js", {}, HEAP);
  const before = await program.ask<Held>({ open: 100 });
  const after = await program.ask<Held>({ open: 9_900 });
  expect(after.waiting).toBe(10_000);
  expect(after.bytes - before.bytes).toBeLessThan(160 * MEBIBYTE);
});

verifies(
  "figures:tasks:expired",
  "expired tasks leave the store empty but for the last one, and no more than 1 MiB of heap",
  SLOW,
  async () => {
    await using program = await MeasuredProgram.start("many-tasks.js", {}, HEAP);
    const before = await program.ask<Held>({ end: 2_000 });
    let after = before;
    for (let left = ROUNDS; left > 0; left -= 1) after = await program.ask<Held>({ end: 1_000 });
    expect(after.ended).toBe(1);
    expect(after.bytes - before.bytes).toBeLessThan(MEBIBYTE);
  },
);
