/**
 * A client with a heap of 256 MB and default limits uses a hostile server and a polite one in one process: for a minute if
 * `SOAK` is set in the environment, and for seconds otherwise. The calls to the polite server are measured.
 */
import { expect } from "vitest";
import { ConfinedProgram } from "../../src/hostile/confined-program.js";
import {
  DEADLINE_MS,
  expectBounded,
  expectServed,
  HEAP_MEGABYTES,
  type Latencies,
  MAX_LEFT_MIB,
  PACE,
  PATIENCE_MS,
  type Peaks,
  SOAK,
} from "../../src/hostile/soak-figures.js";
import { verifies } from "../../src/verifies.js";

/** By default a client keeps 32 MiB of listed tools, 16 MiB of one response and of one line each, and 8 MiB are for the rest. */
const MAX_HELD_MIB = 32 + 16 + 16 + 8;

/** Questions that a user may face at the same time, with room for any sensible default. */
const MAX_QUESTIONS = 1_000;

interface Held {
  readonly retainedMiB: number;
}

interface ClientPeaks extends Peaks {
  readonly peakQuestions: number;
  readonly unsafeUrls: number;
}

verifies(
  "figures:hostile:server",
  "a hostile server costs calls to a polite one nothing, and leaves nothing behind",
  { deadlineMs: DEADLINE_MS },
  async () => {
    await using hostile = await ConfinedProgram.start<object>("hostile-server.js", { pace: PACE });
    await using polite = await ConfinedProgram.start<object>("polite-server.js");
    const urls = { ...hostile.ready, ...polite.ready };
    await using client = await ConfinedProgram.start("attacked-client.js", urls, { heapMegabytes: HEAP_MEGABYTES });
    const phase = (ms: number) => client.ask<Latencies>({ ask: "phase", ms }, ms + PATIENCE_MS);
    await phase(SOAK.warmUpMs);
    const quiet = await phase(SOAK.quietMs);
    const before = await client.ask<Held>({ ask: "held" }, PATIENCE_MS);

    await client.ask({ ask: "attack", pace: PACE }, PATIENCE_MS);
    const attacked = await phase(SOAK.attackMs);

    expectServed(quiet, attacked);
    const { peakQuestions, unsafeUrls, ...peaks } = await client.ask<ClientPeaks>({ ask: "peaks" }, PATIENCE_MS);
    expectBounded(peaks);
    expect.soft(peakQuestions, "questions that were asked at the same time").toBeLessThanOrEqual(MAX_QUESTIONS);
    expect.soft(unsafeUrls, "URLs handed over that are neither http nor https").toBe(0);
    const during = await client.ask<Held>({ ask: "held" }, PATIENCE_MS);
    expect.soft(during.retainedMiB - before.retainedMiB, "MiB held for the attacker").toBeLessThan(MAX_HELD_MIB);
    await client.ask({ ask: "end" }, PATIENCE_MS);
    const after = await client.ask<Held>({ ask: "held" }, PATIENCE_MS);
    expect.soft(after.retainedMiB - before.retainedMiB, "MiB left after closing").toBeLessThan(MAX_LEFT_MIB);
  },
);
