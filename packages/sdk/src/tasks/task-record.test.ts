import { describe, expect, it } from "vitest";
import { newRecord } from "./task-record.fixture.js";
import {
  expiresAt,
  finished,
  inputRequestsOf,
  isTerminal,
  mayBeTaskId,
  type TaskOutcome,
  type TaskRecord,
  withLease,
  withOnceResult,
  withoutQuestion,
  withQuestion,
  withReleasedLease,
  withResponses,
  withRun,
  withStatusMessage,
  withTakenUp,
} from "./task-record.js";

const FORM = { method: "elicitation/create", params: { message: "Name?" } };
const OUTCOMES: TaskOutcome[] = [
  { status: "completed", result: { content: [] } },
  { status: "failed", error: { code: -32_603, message: "No" } },
  { status: "cancelled", statusMessage: "Enough" },
];

const record = newRecord({ createdAt: 1_000, inputBytes: 96, scopes: ["render"] });
const asking = withQuestion(record, "name", FORM, 64, 2_000) as TaskRecord;
const answered = withResponses(asking, { name: { action: "accept" } }, 3_000) as TaskRecord;

describe("the run of a worker", () => {
  const begun = withRun(record, 100, 2_000) as TaskRecord;

  it("holds its lease, and is not visible", () => {
    expect(begun).toMatchObject({ run: { number: 1, until: 2_100 }, version: 2, visibleVersion: 1 });
    expect(withRun(begun, 100, 2_099)).toBeUndefined();
    expect(withRun(begun, 100, 2_100)).toMatchObject({ run: { number: 2, until: 2_200 }, version: 3 });
  });

  it("extends its lease until another run has begun", () => {
    expect(withLease(begun, 1, 100, 2_050)).toMatchObject({ run: { number: 1, until: 2_150 }, version: 3 });
    expect(withLease(withRun(begun, 100, 2_100) as TaskRecord, 1, 100, 2_150)).toBeUndefined();
    expect(withLease(record, 1, 100, 2_150)).toBeUndefined();
  });

  it("is the first one until the work of an earlier one may have begun", () => {
    const unused = withReleasedLease(begun, 1, false, 2_050) as TaskRecord;
    const first = withRun(unused, 100, 2_050) as TaskRecord;
    const again = withRun(first, 100, 2_150) as TaskRecord;
    const unusedAgain = withReleasedLease(again, 3, false, 2_160) as TaskRecord;
    expect(begun.run?.isRerun).toBe(false);
    expect(first.run).toEqual({ number: 2, until: 2_150, isRerun: false });
    expect(again.run).toEqual({ number: 3, until: 2_250, isRerun: true, crashes: 1 });
    expect(withRun(unusedAgain, 100, 2_160)?.run).toEqual({ number: 4, until: 2_260, isRerun: true, crashes: 1 });
    expect(withReleasedLease(first, 1, false, 2_060)).toBeUndefined();
  });

  it("counts the runs before it that did not give their lease back", () => {
    const released = withReleasedLease(begun, 1, true, 2_050) as TaskRecord;
    const second = withRun(released, 100, 2_050) as TaskRecord;
    const third = withRun(second, 100, 2_150) as TaskRecord;
    expect(second.run).toEqual({ number: 2, until: 2_150, isRerun: true });
    expect(third.run?.crashes).toBe(1);
    expect(withRun(third, 100, 2_250)?.run?.crashes).toBe(2);
  });

  it("holds no lease that a clock which was set back would extend, and does hold one of a clock that is ahead", () => {
    expect(withRun(begun, 100, 1_900)).toBeUndefined();
    expect(withRun(begun, 100, 1_899)).toMatchObject({ run: { number: 2, until: 1_999 } });
  });

  it("does not begin after the end of its task", () => {
    for (const outcome of OUTCOMES) {
      const ended = finished(begun, outcome, 2_000) as TaskRecord;
      expect(ended).not.toHaveProperty("run");
      expect([withRun(ended, 100, 9_000), withLease(ended, 1, 100, 9_000)]).toEqual([undefined, undefined]);
    }
  });
});

describe("a new task", () => {
  it("works, under an id of 160 random bits", () => {
    expect(record).toMatchObject({ status: "working", createdAt: 1_000, lastUpdatedAt: 1_000, version: 1 });
    expect(record.taskId).toMatch(/^[0-9a-f]{40}$/);
    expect(mayBeTaskId(record.taskId)).toBe(true);
    expect(record.scopes).toEqual(["render"]);
    expect(newRecord()).not.toHaveProperty("principal");
    expect(newRecord({ scopes: [] })).not.toHaveProperty("scopes");
  });

  it("has an id that no other has", () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newRecord().taskId)).size).toBe(1_000);
  });

  it.each(["", "x".repeat(40), "0".repeat(39), "0".repeat(41), 7, undefined])("%j is no id", (value) => {
    expect(mayBeTaskId(value)).toBe(false);
  });

  it("expires after its time to live, or never", () => {
    expect(expiresAt({ createdAt: 5, ttlMs: 10 })).toBe(15);
    expect(expiresAt({ createdAt: 5, ttlMs: null })).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("a change", () => {
  it("counts the version, and never sets the time back", () => {
    const later = withStatusMessage(record, "Half", 5_000) as TaskRecord;
    const earlier = withStatusMessage(later, "Most", 4_000) as TaskRecord;
    expect(earlier).toMatchObject({ version: 3, visibleVersion: 3, lastUpdatedAt: 5_000, statusMessage: "Most" });
  });

  it("with the same message is none", () => {
    const changed = withStatusMessage(record, "Half", 5_000) as TaskRecord;
    expect(withStatusMessage(changed, "Half", 6_000)).toBeUndefined();
  });

  it("keeps 1,024 characters of a message", () => {
    expect(withStatusMessage(record, "x".repeat(2_000), 0)?.statusMessage).toHaveLength(1_024);
    const error = { code: 1, message: "x".repeat(2_000) };
    expect(finished(record, { status: "failed", error }, 0)?.statusMessage).toHaveLength(1_024);
  });
});

describe("a question", () => {
  it("makes the task need input until all are answered", () => {
    const two = withQuestion(asking, "roots", { method: "roots/list" }, 64, 0) as TaskRecord;
    expect(two.status).toBe("input_required");
    expect(inputRequestsOf(two)).toEqual({ name: FORM, roots: { method: "roots/list" } });
    const half = withResponses(two, { name: { action: "accept" } }, 0) as TaskRecord;
    expect(half.status).toBe("input_required");
    expect(inputRequestsOf(half)).toEqual({ roots: { method: "roots/list" } });
    expect(withResponses(half, { roots: { roots: [] } }, 0)?.status).toBe("working");
  });

  it("is asked again without effect, while it is open and when it is answered", () => {
    const same = { params: { message: "Name?" }, method: "elicitation/create" };
    expect(withQuestion(asking, "name", same, 64, 0)).toBeUndefined();
    expect(withQuestion(answered, "name", same, 64, 0)).toBeUndefined();
  });

  it("keeps its key from any other request", () => {
    for (const state of [asking, answered, withoutQuestion(asking, "name", 0) as TaskRecord]) {
      expect(() => withQuestion(state, "name", { method: "roots/list" }, 64, 0)).toThrow(
        expect.objectContaining({ code: "questions-changed" }),
      );
    }
  });

  it("is one of a bounded number of open ones", () => {
    expect(() => withQuestion(asking, "other", FORM, 1, 0)).toThrow(expect.objectContaining({ code: "too-large" }));
    expect(withQuestion(answered, "other", FORM, 1, 0)?.status).toBe("input_required");
  });

  it("is one of 1,024, answered ones included", () => {
    const names = Array.from({ length: 1_024 }, (_, index) => [`q${index}`, { request: FORM, response: {} }] as const);
    const full: TaskRecord = { ...record, questions: Object.fromEntries(names) };
    expect(() => withQuestion(full, "other", FORM, 64, 0)).toThrow("at most 1024 questions");
    expect(withQuestion(full, "q1", FORM, 64, 0)).toBeUndefined();
    const { q0: _first, ...others } = full.questions;
    expect(withQuestion({ ...full, questions: others }, "other", FORM, 64, 0)?.status).toBe("input_required");
  });

  it("that is withdrawn can be asked again", () => {
    const without = withoutQuestion(asking, "name", 0) as TaskRecord;
    expect(without.status).toBe("working");
    expect(withoutQuestion(without, "name", 0)).toBeUndefined();
    expect(withoutQuestion(answered, "name", 0)).toBeUndefined();
    expect(inputRequestsOf(withQuestion(without, "name", FORM, 64, 0) as TaskRecord)).toEqual({ name: FORM });
  });

  it("that is withdrawn keeps a late answer, which asking again gets", () => {
    const late = withResponses(withoutQuestion(asking, "name", 0) as TaskRecord, { name: { action: "accept" } }, 0);
    expect(late).toMatchObject({ status: "working", questions: { name: { response: { action: "accept" } } } });
    expect(withQuestion(late as TaskRecord, "name", FORM, 64, 0)).toBeUndefined();
    expect(withResponses(late as TaskRecord, { name: { action: "decline" } }, 0)).toBeUndefined();
  });

  it("is answered once, and unknown keys are ignored", () => {
    expect(answered.questions.name?.response).toEqual({ action: "accept" });
    expect(withResponses(answered, { name: { action: "decline" } }, 0)).toBeUndefined();
    expect(withResponses(asking, { other: {}, constructor: {} }, 0)).toBeUndefined();
  });

  it.each(["__proto__", "constructor", "hasOwnProperty"])("may have the key %s", (key) => {
    const asked = withQuestion(record, key, FORM, 64, 0) as TaskRecord;
    expect(Object.keys(inputRequestsOf(asked))).toEqual([key]);
    const responses = Object.fromEntries([[key, { action: "accept" }]]);
    const done = withResponses(JSON.parse(JSON.stringify(asked)), responses, 0);
    expect(Object.entries(done?.questions ?? {})).toEqual([[key, { request: FORM, response: { action: "accept" } }]]);
  });
});

describe("a result of once", () => {
  it("stays as it was first, and is not visible", () => {
    const once = withOnceResult(record, "charge", 7) as TaskRecord;
    expect(once).toMatchObject({ once: { charge: { value: 7 } }, version: 2, visibleVersion: 1 });
    expect(withOnceResult(once, "charge", 8)).toBeUndefined();
  });
});

describe("a finished task", () => {
  it.each(OUTCOMES)("is $status, and holds nothing that only its work needed", (outcome) => {
    const busy = withOnceResult(withStatusMessage(asking, "Half", 0) as TaskRecord, "charge", 7) as TaskRecord;
    const done = finished(busy, outcome, 9_000) as TaskRecord;
    expect(done).toMatchObject({ ...outcome, inputBytes: 0, questions: {}, once: {}, lastUpdatedAt: 9_000 });
    expect(done.statusMessage).toBe({ completed: undefined, failed: "No", cancelled: "Enough" }[outcome.status]);
    expect(isTerminal(done)).toBe(true);
  });

  it.each(OUTCOMES)("never changes again once it is $status", (outcome) => {
    const done = finished(asking, outcome, 0) as TaskRecord;
    expect(withStatusMessage(done, "Half", 0)).toBeUndefined();
    expect(withQuestion(done, "other", FORM, 64, 0)).toBeUndefined();
    expect(withoutQuestion(done, "name", 0)).toBeUndefined();
    expect(withResponses(done, { name: {} }, 0)).toBeUndefined();
    expect(withOnceResult(done, "charge", 7)).toBeUndefined();
    for (const other of OUTCOMES) expect(finished(done, other, 0)).toBeUndefined();
    expect(withTakenUp(done)).toBeUndefined();
  });
});
