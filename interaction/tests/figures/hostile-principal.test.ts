/**
 * One hostile principal does everything at once that rows 1 to 8 of the attacks on limits name, for a minute if `SOAK` is set
 * in the environment and for seconds otherwise. The server has a heap of 256 MB and, but for `maxSessions` of the short run,
 * its default limits. A polite principal is served meanwhile.
 */
import { expect } from "vitest";
import { ConfinedProgram } from "../../src/hostile/confined-program.js";
import {
  DEADLINE_MS,
  expectBounded,
  expectServed,
  HEAP_MEGABYTES,
  type Latencies,
  MAX_HELD_MIB,
  MAX_LEFT_MIB,
  PACE,
  PATIENCE_MS,
  type Peaks,
  SERVER_SETTINGS,
  SOAK,
} from "../../src/hostile/soak-figures.js";
import { verifies } from "../../src/verifies.js";

/** Handlers of one principal that may run at the same time, with room for any sensible default. */
const MAX_HANGING = 2_048;
/** Half of the grace that closing has for handlers: none runs any more. */
const MAX_CLOSE_MS = 5_000;

interface Held {
  readonly retainedMiB: number;
}

interface ServerPeaks extends Peaks {
  readonly touched: number;
  readonly evicted: number;
  readonly peakHanging: number;
}

interface Attack extends Peaks {
  readonly outcomes: Readonly<Record<string, number>>;
  readonly revived: number;
}

verifies(
  "figures:hostile:principal",
  "a hostile principal costs a polite one nothing, and leaves nothing behind",
  { deadlineMs: DEADLINE_MS },
  async () => {
    const confined = { heapMegabytes: HEAP_MEGABYTES };
    await using server = await ConfinedProgram.start<object>("attacked-server.js", SERVER_SETTINGS, confined);
    await using polite = await ConfinedProgram.start("polite-client.js", server.ready);
    await using hostile = await ConfinedProgram.start("hostile-principal.js", server.ready);
    const phase = (ms: number) => polite.ask<Latencies>({ ask: "phase", ms }, ms + PATIENCE_MS);
    await phase(SOAK.warmUpMs);
    const quiet = await phase(SOAK.quietMs);
    const before = await server.ask<Held>({ ask: "held" }, PATIENCE_MS);
    await server.ask({ ask: "peaks" }, PATIENCE_MS);

    const attacking = hostile.ask<Attack>(
      { ask: "attack", ms: SOAK.attackMs, pace: PACE },
      SOAK.attackMs + PATIENCE_MS,
    );
    const [attacked, attack] = await Promise.all([phase(SOAK.attackMs), attacking]);

    expectServed(quiet, attacked);
    expect.soft(attack.revived, "sessions that were served after a DELETE was answered 204").toBe(0);
    expect(server.endReason, `responses to the attack: ${JSON.stringify(attack.outcomes)}`).toBeUndefined();
    const idle = await polite.ask<Latencies>({ ask: "idle" }, PATIENCE_MS);
    expect.soft(idle.failures, "polite sessions that were idle during the attack").toEqual({});
    const { touched, evicted, peakHanging, ...peaks } = await server.ask<ServerPeaks>({ ask: "peaks" }, PATIENCE_MS);
    expectBounded(peaks);
    expect.soft(touched, "calls that a web page made through the TCP port").toBe(0);
    expect.soft(evicted, "polite sessions that ended to make room").toBe(0);
    expect.soft(peakHanging, "handlers that ran at the same time").toBeLessThanOrEqual(MAX_HANGING);
    await server.ask({ ask: "release" }, PATIENCE_MS);
    const after = await server.ask<Held>({ ask: "held" }, PATIENCE_MS);
    expect
      .soft(after.retainedMiB - before.retainedMiB, "MiB held for sessions of the attacker")
      .toBeLessThan(MAX_HELD_MIB);
    const closed = await server.ask<Held & { closeMs: number }>({ ask: "close" }, PATIENCE_MS);
    expect.soft(closed.closeMs, "ms that closing took").toBeLessThan(MAX_CLOSE_MS);
    expect.soft(closed.retainedMiB - before.retainedMiB, "MiB left after closing").toBeLessThan(MAX_LEFT_MIB);
  },
);
