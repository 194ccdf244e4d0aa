/** Each fault planted in a history is found, and the history without it is not. */
import { describe, expect, test } from "vitest";
import { type CheckLimits, checkHistory } from "./checker.js";
import type { Entry, Fact, Verdict } from "./history.js";

const LIMITS: CheckLimits = { hearMs: 1_000, stopMs: 1_000, growthBytes: 100, ttlMs: 60_000 };

/** A second between two facts, so that every limit of a second is over after the next one. */
function history(...facts: readonly Fact[]): Entry[] {
  return facts.map((fact, index) => ({ ...fact, at: index * 1_000 }));
}

const asked: Fact = { kind: "asked", call: "c1", client: "ann", tool: "count" };
const began: Fact = { kind: "began", call: "c1", client: "ann", run: "a-1", replica: "a" };
const ran: Fact = { kind: "ran", call: "c1", run: "a-1", replica: "a", events: 2 };
const answered: Fact = { kind: "answered", call: "c1", answers: "c1", run: "a-1" };
const event = (number: number, of = "c1"): Fact => ({ kind: "event", call: "c1", of, number });
const failed = (verdict: Verdict): Fact => ({
  kind: "failed",
  call: "c1",
  verdict,
  error: "503",
});
const subscribed: Fact = { kind: "subscribed", client: "ann", topic: "stock" };
const changed: Fact = { kind: "changed", topic: "stock", replica: "b" };
const heard: Fact = { kind: "heard", client: "ann", topic: "stock" };
const pause: Fact = { kind: "fault", name: "none" };

const GOOD: Readonly<Record<string, readonly Fact[]>> = {
  "a call with its events": [asked, began, event(1), event(2), ran, answered],
  "a call that was refused": [asked, failed("not served")],
  "a call whose replica died": [asked, began, event(1), { kind: "killed", replica: "a" }, failed("may be served")],
  "a call that ran, and whose answer was lost": [asked, began, event(1), ran, failed("may be served")],
  "a late answer to a call that was given up": [
    asked,
    began,
    failed("may be served"),
    { kind: "answered again", call: "c1" },
  ],
  "a task that ran again after its process died": [
    { ...asked, tool: "work" },
    began,
    { ...ran, events: 0 },
    { kind: "killed", replica: "a" },
    { ...began, run: "b-1", replica: "b" },
    { ...ran, run: "b-1", replica: "b", events: 0 },
    { ...answered, run: "b-1" },
  ],
  "a task that ran again while its process was suspended": [
    { ...asked, tool: "work" },
    began,
    { kind: "effect", call: "c1", run: "a-1", replica: "a" },
    { kind: "frozen", replica: "a" },
    { ...began, run: "b-1", replica: "b" },
    { kind: "effect", call: "c1", run: "b-1", replica: "b" },
    { ...ran, run: "b-1", replica: "b", events: 0 },
    { kind: "resumed", replica: "a" },
    { ...ran, events: 0 },
    { ...answered, run: "b-1" },
  ],
  "a GET stream that was opened anew": [
    { kind: "stream event", client: "ann" },
    { kind: "stream event", client: "ann", number: 7 },
    { kind: "stream event", client: "ann", number: 8 },
    { kind: "stream event", client: "ann" },
    { kind: "stream event", client: "ann", number: 20 },
  ],
  "a session of each client": [
    { kind: "opened", client: "ann", session: "1", replica: "a" },
    { kind: "opened", client: "ben", session: "2", replica: "a" },
  ],
  "a change that was heard": [subscribed, changed, heard, pause, pause],
  "a change after the subscription": [
    subscribed,
    { kind: "unsubscribed", client: "ann", topic: "stock" },
    changed,
    pause,
    pause,
  ],
  "a change of another topic": [subscribed, { ...changed, topic: "tools" }, pause, pause],
  "a call that was cancelled": [
    asked,
    began,
    { kind: "cancelled", call: "c1" },
    { kind: "stopped", call: "c1", run: "a-1", replica: "a" },
    failed("may be served"),
  ],
  "a call that was cancelled while its replica was frozen": [
    asked,
    began,
    { kind: "frozen", replica: "a" },
    { kind: "cancelled", call: "c1" },
    failed("may be served"),
    { kind: "resumed", replica: "a" },
    pause,
  ],
  "memory and keys within their limits": [
    { kind: "memory", process: "a", bytes: 1_000 },
    { kind: "memory", process: "a", bytes: 1_100 },
    { kind: "key", key: "parley:1:tasks", ttlMs: 60_000 },
    { kind: "key", key: "parley:1:state-key", ttlMs: 31_536_000_000 },
  ],
};

const BAD: readonly (readonly [string, string, readonly Fact[]])[] = [
  ["settled", "a call without an end", [asked, began, ran]],
  ["answered once", "an answer that came twice", [asked, began, event(1), event(2), ran, answered, answered]],
  [
    "answered once",
    "an answer that the client did not wait for any more",
    [asked, began, event(1), event(2), ran, answered, { kind: "answered again", call: "c1" }],
  ],
  [
    "answered once",
    "an answer after an error",
    [asked, began, event(1), event(2), ran, failed("may be served"), answered],
  ],
  ["own answer", "the answer of another call", [asked, began, event(1), event(2), ran, { ...answered, answers: "c2" }]],
  ["own answer", "a run for another client", [asked, { ...began, client: "ben" }, event(1), event(2), ran, answered]],
  ["made by a run", "an answer that nobody made", [asked, { ...answered, run: "b-7" }]],
  ["run once", "a call that ran twice", [asked, began, event(1), event(2), ran, ran, answered]],
  ["run once", "a run that nobody asked for", [began]],
  [
    "run once",
    "a task that ran twice without a death",
    [{ ...asked, tool: "work" }, event(1), event(2), ran, ran, answered],
  ],
  [
    "effect once",
    "an effect that was repeated",
    [
      { ...asked, tool: "work" },
      began,
      { kind: "effect", call: "c1", run: "a-1", replica: "a" },
      { kind: "killed", replica: "b" },
      { ...began, run: "b-1", replica: "b" },
      { kind: "effect", call: "c1", run: "b-1", replica: "b" },
      { ...ran, run: "b-1", replica: "b", events: 0 },
      { ...answered, run: "b-1" },
    ],
  ],
  [
    "effect once",
    "an effect of a run that was suspended",
    [
      { ...asked, tool: "work" },
      began,
      { kind: "frozen", replica: "a" },
      { ...began, run: "b-1", replica: "b" },
      { kind: "effect", call: "c1", run: "a-1", replica: "a" },
      { ...ran, run: "b-1", replica: "b", events: 0 },
      { ...answered, run: "b-1" },
    ],
  ],
  [
    "result of the last run",
    "a result of a run that was suspended",
    [
      { ...asked, tool: "work" },
      began,
      { kind: "frozen", replica: "a" },
      { ...began, run: "b-1", replica: "b" },
      { ...ran, events: 0 },
      answered,
    ],
  ],
  ...(
    [
      ["no event twice", "an event of the GET stream that came twice", 7],
      ["events in order", "an event of the GET stream that came late", 6],
      ["no event lost", "an event of the GET stream that was lost", 9],
    ] as const
  ).map(
    ([promise, name, number]) =>
      [
        promise,
        name,
        [
          { kind: "stream event", client: "ann", number: 7 },
          { kind: "stream event", client: "ann", number },
        ],
      ] as const,
  ),
  ["refused unserved", "a call that ran although it was refused", [asked, began, ran, failed("not served")]],
  ["clear error", "an error that says nothing", [asked, failed("unclear")]],
  ["session kept", "a call in a session that is unknown", [asked, failed("session lost")]],
  ["own events", "an event of another call", [asked, began, event(1), event(2), event(3, "c2"), ran, answered]],
  ["events in order", "events out of order", [asked, began, event(2), event(1), ran, answered]],
  ["no event twice", "an event twice", [asked, began, event(1), event(1), event(2), ran, answered]],
  ["no event lost", "a lost event", [asked, began, event(1), ran, answered]],
  ["no event lost", "a gap before an error", [asked, began, event(1), event(3), failed("may be served")]],
  [
    "session kept",
    "a second session",
    [
      { kind: "opened", client: "ann", session: "1", replica: "a" },
      { kind: "killed", replica: "a" },
      { kind: "opened", client: "ann", session: "2", replica: "b" },
    ],
  ],
  ["change heard", "a change that was not heard", [subscribed, heard, changed, pause, pause]],
  ["change heard", "a change that was heard too late", [subscribed, changed, pause, pause, heard]],
  [
    "cancelled stops",
    "a handler that goes on",
    [asked, began, { kind: "cancelled", call: "c1" }, failed("may be served"), pause],
  ],
  [
    "cancelled stops",
    "a handler that goes on at a replica that had been frozen before",
    [
      { kind: "frozen", replica: "a" },
      { kind: "resumed", replica: "a" },
      asked,
      began,
      { kind: "cancelled", call: "c1" },
      failed("may be served"),
      pause,
    ],
  ],
  [
    "memory flat",
    "a process that grows",
    [
      { kind: "memory", process: "a", bytes: 1_000 },
      { kind: "memory", process: "a", bytes: 1_101 },
    ],
  ],
  ["keys expire", "a key without an expiry", [{ kind: "key", key: "parley:1:tasks", ttlMs: -1 }]],
  ["keys expire", "a key that stays", [{ kind: "key", key: "parley:1:tasks", ttlMs: 60_001 }]],
];

describe("the checker finds", () => {
  test.each(Object.entries(GOOD))("nothing in %s", (_name, facts) => {
    expect(checkHistory(history(...facts), LIMITS)).toEqual([]);
  });

  test.each(BAD)("%s broken by %s", (promise, _name, facts) => {
    expect(checkHistory(history(...facts), LIMITS).map((finding) => finding.promise)).toEqual([promise]);
  });
});
