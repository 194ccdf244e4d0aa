import fc from "fast-check";
import { expect, vi } from "vitest";
import { withDeadline } from "../../src/deadline.js";
import { type LineFault, type LineScript, nextTurn } from "../../src/faults/fault-proxy.js";
import { type Action, Play, WAIT } from "../../src/faults/faulty-play.js";
import type { Setting } from "../../src/faults/hosted-work.js";
import { isAnswered, type RawCalled } from "../../src/faults/raw-work.js";
import { liveTimers } from "../../src/figures/garbage.js";
import { type Body, type VerifiesOptions, verifies } from "../../src/verifies.js";

const by = fc.nat({ max: 1 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant("call" as const),
      by,
      steps: fc.nat({ max: 5 }),
      hangs: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("raw" as const),
      steps: fc.nat({ max: 5 }),
      leaveAfter: fc.nat({ max: 6 }),
      cancels: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ act: fc.constantFrom("abort", "publish", "publish", "cut") }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant("wait" as const), turns: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("greet" as const), by }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("reopen" as const), by }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("delete" as const), by }) },
);
const pieces = {
  pieceBytes: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(65_536)),
  delayTurns: fc.nat({ max: 2 }),
};
const afterBytes = fc.nat({ max: 1_500 });
const broken = fc.constantFrom("cut" as const, "reset" as const);
const halfClosed = fc.constant("half-close" as const);
const down = fc.record({ direction: fc.constant("down" as const), afterBytes, kind: fc.oneof(broken, halfClosed) });
const up = fc.record({ direction: fc.constant("up" as const), afterBytes, kind: broken });
const halfUp = fc.record({ direction: fc.constant("up" as const), afterBytes, kind: halfClosed });

/** Half of a request is one that the server refuses, as it should: what it had promised is not owed then. */
function scriptFor({ hasEventStore }: Setting) {
  const fault: fc.Arbitrary<LineFault> = hasEventStore ? fc.oneof(down, up) : fc.oneof(down, up, halfUp);
  const line: fc.Arbitrary<LineScript> = fc.record({ ...pieces, fault: fc.option(fault, { nil: undefined }) });
  return fc.record({
    lines: fc.array(line, { maxLength: 20 }),
    actions: fc.array(action, { minLength: 4, maxLength: 25 }),
  });
}

function upTo(count: number, from = 0): number[] {
  return Array.from({ length: Math.max(0, count - from) }, (_, index) => from + index);
}

function judgeCalls(play: Play): void {
  for (const { calls, strays } of play.clients) {
    expect(strays, "events of somebody else").toEqual([]);
    for (const { name, steps, heard, progress, outcome } of calls) {
      const whole = upTo(steps + 1, 1);
      // Reports may be left out, as long as those that arrive go forward.
      const reported = whole.filter((step) => progress.some((report) => report.step === step));
      expect(progress, `the progress of ${name}`).toEqual(reported.map((step) => ({ step, of: name })));
      expect(heard, `what ${name} heard`).toEqual(whole.slice(0, heard.length));
      if (outcome === name) expect(heard, `what ${name} heard before its answer`).toEqual(whole);
      expect(play.work.runs.get(name) ?? 0, `runs of ${name}`).toBeLessThanOrEqual(1);
    }
  }
}

function judgeRaw(called: RawCalled, isPromised: boolean): void {
  const { call, steps, messages, ids, cancels } = called;
  const said = upTo(steps + 1, 1).map((step) => ({ method: "acme/step", params: { call, step } }));
  const whole = cancels ? said : [...said, { id: 1, result: { content: [{ text: call }] } }];
  const heard = messages.filter(({ error }) => error === undefined);
  expect(heard, `what ${call} heard`).toMatchObject(whole.slice(0, heard.length));
  expect(new Set(ids).size, `event ids of ${call}`).toBe(ids.length);
  if (isPromised && ids.length > 0 && !cancels) expect(isAnswered(called), `${call} is answered`).toBe(true);
}

/** With an event store the legacy era promises delivery: whatever was sent arrives, once the line is good again. */
async function judgeDelivery({ clients, closed, work, aborted }: Play): Promise<void> {
  for (const client of clients.filter((one) => !closed.has(one))) {
    // One that has heard nothing yet has no event to go on after.
    const owed = () => upTo(work.published, client.changes[0] ?? work.published);
    await vi.waitFor(() => expect(client.changes, client.toString()).toEqual(owed()), WAIT);
    for (const { name, heard, outcome, hangs } of client.calls) {
      const isOwed = heard.length > 0 && !hangs && !aborted.has(name);
      if (isOwed) expect(outcome, `the outcome of ${name}`).toBe(name);
    }
  }
}

/** Returns how many faults struck before the line was calm. */
async function run(lines: readonly LineScript[], actions: readonly Action[], setting: Setting): Promise<number> {
  const timers = liveTimers();
  await using play = await Play.begin(setting);
  const { work, proxy, clients } = play;
  proxy.follow(lines);
  for (const action of actions) await play.perform(action);
  proxy.calm();
  const { faults } = proxy;
  await withDeadline(Promise.all(play.ending), WAIT.timeout, "settling calls that end by themselves");
  const isPromised = setting.hasEventStore === true && !play.hasDeleted;
  if (isPromised) await judgeDelivery(play);
  const raw = await withDeadline(Promise.all(play.raw), WAIT.timeout, "settling raw calls");
  for (const called of raw) judgeRaw(called, isPromised);
  for (const { changes } of clients) expect(changes).toEqual([...new Set(changes)].sort((a, b) => a - b));
  expect(work.greetings, "greetings").toEqual([...new Set(work.greetings)]);

  await play.leaveAll();
  await withDeadline(Promise.all(play.calls), WAIT.timeout, "settling what hung until its client closed");
  judgeCalls(play);
  if (!play.hasLeftUntold) await vi.waitFor(() => expect(work.active, "handlers that run on").toEqual(new Set()), WAIT);
  await work[Symbol.asyncDispose]();
  const left = () => [work.active.size, work.sessions.size, work.store?.size ?? 0];
  await vi.waitFor(() => expect(left()).toEqual([0, 0, 0]), WAIT);
  await vi.waitFor(() => expect(proxy.size, "connections").toBe(0), WAIT);
  // Waiting with a timer would add one.
  const until = performance.now() + WAIT.timeout;
  while (liveTimers() > timers && performance.now() < until) await nextTurn();
  expect(liveTimers(), "timers").toBeLessThanOrEqual(timers);
  return faults;
}

/** On a slow machine fewer scripts are played, rather than for longer. `FAULTS_MS` plays for longer on purpose. */
const PLAY_MS = Number(process.env.FAULTS_MS ?? 2_000);

/** However slow the machine is, scripts are played until so many faults have struck. */
const LEAST_FAULTS = 10;

/** What a failure names: with `FAULTS_SEED` and `FAULTS_PATH` that script is played again, and it alone. */
function replayed(): fc.Parameters<unknown> {
  const { FAULTS_SEED: seed, FAULTS_PATH: path } = process.env;
  return { ...(seed !== undefined && { seed: Number(seed) }), ...(path !== undefined && { path, numRuns: 1 }) };
}

function underFaults(setting: Setting): Body {
  return async () => {
    const endsAt = performance.now() + PLAY_MS;
    let faults = 0;
    const property = fc.asyncProperty(scriptFor(setting), async ({ lines, actions }) => {
      if (performance.now() < endsAt || faults < LEAST_FAULTS) faults += await run(lines, actions, setting);
    });
    const replay = replayed();
    // One that fails is not made smaller, which would take minutes.
    await fc.assert(property, { numRuns: Math.ceil(PLAY_MS / 80), endOnFailure: true, ...replay });
    if (replay.path === undefined) expect(faults, "faults that struck").toBeGreaterThanOrEqual(LEAST_FAULTS);
  };
}

/** Whether a raw client hears anything is left to chance. */
const PATIENT: VerifiesOptions = { deadlineMs: PLAY_MS + 30_000, judge: "not-written-down" };

verifies(
  "transport:streamable-http:legacy-under-faults",
  "broken connections of a session double, reorder and cross nothing, and closing leaves nothing",
  PATIENT,
  underFaults({ revision: "2025-11-25" }),
);

verifies(
  "transport:streamable-http:resumed-under-faults",
  "broken connections lose nothing at a server with an event store, as long as nobody ends the session",
  PATIENT,
  underFaults({ revision: "2025-11-25", hasEventStore: true }),
);

verifies(
  "transport:streamable-http:modern-under-faults",
  "broken modern connections double, reorder and cross nothing, and no handler runs on",
  PATIENT,
  underFaults({ revision: "2026-07-28" }),
);

verifies(
  "figures:faults:stateless",
  "a client without sessions whose connections break hears a beginning of what was sent",
  PATIENT,
  underFaults({ revision: "2025-11-25", isStateless: true }),
);

verifies(
  "figures:faults:sse",
  "broken connections over HTTP+SSE double, reorder and cross nothing, and closing leaves nothing",
  PATIENT,
  underFaults({ revision: "2024-11-05" }),
);

verifies(
  "figures:faults:web-modern",
  "the web-standard handler doubles, reorders and crosses nothing when modern connections break",
  PATIENT,
  underFaults({ revision: "2026-07-28", isWeb: true }),
);

verifies(
  "figures:faults:web-legacy",
  "the web-standard handler with an event store loses nothing when connections break",
  PATIENT,
  underFaults({ revision: "2025-11-25", hasEventStore: true, isWeb: true }),
);
