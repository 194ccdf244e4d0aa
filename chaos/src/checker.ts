/** Checks the history of a run: the promises that several replicas keep as one server. Each finding names the broken promise. */
import type { Entry, Fact } from "./history.js";

export type Promised =
  | "settled"
  | "answered once"
  | "own answer"
  | "made by a run"
  | "run once"
  | "effect once"
  | "result of the last run"
  | "refused unserved"
  | "clear error"
  | "own events"
  | "events in order"
  | "no event lost"
  | "no event twice"
  | "session kept"
  | "change heard"
  | "cancelled stops"
  | "memory flat"
  | "keys expire";

export interface Finding {
  readonly promise: Promised;
  readonly what: string;
}

export interface CheckLimits {
  /** Time from a published change to a notification of each subscriber. */
  readonly hearMs: number;
  /** Time from the cancellation of a call to the end of its handler. */
  readonly stopMs: number;
  /** Growth of a process during the calm. */
  readonly growthBytes: number;
  /** The longest expiry of a key. */
  readonly ttlMs: number;
}

export const LIMITS: CheckLimits = { hearMs: 20_000, stopMs: 20_000, growthBytes: 16_777_216, ttlMs: 120_000 };

/** Some members of the union have several kinds. */
type Of<Kind extends Fact["kind"]> = Entry extends infer Each
  ? Each extends { readonly kind: infer Own }
    ? Kind extends Own
      ? Each
      : never
    : never
  : never;

/** Tools whose work may run again after its process died. */
const RERUN: ReadonlySet<string> = new Set(["work"]);
/** Keys that outlive all processes on purpose. */
const KEPT_KEY = /:state-key$/;

export function checkHistory(history: readonly Entry[], limits: CheckLimits = LIMITS): Finding[] {
  const facts = new Facts(history);
  return [
    ...facts.of("asked").flatMap((asked) => callFindings(asked, facts, limits)),
    ...strangerFindings(facts),
    ...sessionFindings(facts),
    ...streamFindings(facts),
    ...changeFindings(facts, limits),
    ...memoryFindings(facts, limits),
    ...keyFindings(facts, limits),
  ];
}

/** The entries by kind, and those of calls by call. */
class Facts {
  readonly #byKind = new Map<string, Entry[]>();
  readonly #byCall = new Map<string, Entry[]>();
  readonly end: number;

  constructor(history: readonly Entry[]) {
    for (const entry of history) {
      add(this.#byKind, entry.kind, entry);
      if ("call" in entry) add(this.#byCall, `${entry.kind} ${entry.call}`, entry);
    }
    this.end = history.at(-1)?.at ?? 0;
  }

  of<Kind extends Fact["kind"]>(kind: Kind, call?: string): readonly Of<Kind>[] {
    const found = call === undefined ? this.#byKind.get(kind) : this.#byCall.get(`${kind} ${call}`);
    // Filed by its kind.
    return (found ?? []) as Of<Kind>[];
  }
}

function callFindings({ call, client, tool }: Of<"asked">, facts: Facts, limits: CheckLimits): Finding[] {
  const answers = facts.of("answered", call);
  const failures = facts.of("failed", call);
  const runs = facts.of("ran", call);
  const began = facts.of("began", call);
  const cancelled = facts.of("cancelled", call);
  const found: Finding[] = [];
  const say = (promise: Promised, what: string) => found.push({ promise, what: `${tool} ${call}: ${what}` });

  if (answers.length + failures.length === 0) say("settled", "neither answered nor failed");
  if (answers.length + failures.length > 1) say("answered once", `settled ${answers.length + failures.length} times`);
  const again = facts.of("answered again", call);
  // An answer to a call that the client has given up may come late.
  if (answers.length > 0 && again.length > 0) say("answered once", `got ${again.length} answers more`);
  for (const { answers: other, run } of answers) {
    if (other !== call) say("own answer", `got the answer of ${other}`);
    if (!runs.some((ran) => ran.run === run)) say("made by a run", `no run ${run} of a replica`);
  }
  for (const { client: other } of began) if (other !== client) say("own answer", `ran for ${other}`);
  const lived = RERUN.has(tool) ? runs.filter((run) => !diedAfter(run, facts) && !wasFrozen(run, facts)) : runs;
  if (lived.length > 1)
    say("run once", `ran ${runs.length} times, at ${runs.map(({ replica }) => replica).join(", ")}`);
  for (const { verdict, error } of failures) {
    if (verdict === "unclear") say("clear error", error);
    if (verdict === "session lost") say("session kept", error);
    if (verdict === "not served" && runs.length > 0) say("refused unserved", `was refused, and ran: ${error}`);
  }
  found.push(...eventFindings(call, tool, facts), ...effectFindings(call, facts));
  for (const { at } of cancelled) {
    const heard = began.filter(({ replica }) => !isFrozen(replica, at, facts));
    const late = heard.filter((begin) => !endedBy(begin, at + limits.stopMs, facts));
    // A run beside a wait of the whole limit is open: the history ends before.
    if (at + limits.stopMs < facts.end) for (const { run } of late) say("cancelled stops", `${run} went on`);
  }
  return found;
}

function eventFindings(call: string, tool: string, facts: Facts): Finding[] {
  const events = facts.of("event", call);
  const found: Finding[] = [];
  const say = (promise: Promised, what: string) => found.push({ promise, what: `${tool} ${call}: ${what}` });
  const seen = new Set<number>();
  let last = 0;
  for (const { of, number } of events) {
    if (of !== call) say("own events", `got event ${number} of ${of}`);
    else if (seen.has(number)) say("no event twice", `event ${number} came again`);
    else if (number < last) say("events in order", `event ${number} came after ${last}`);
    seen.add(number);
    last = Math.max(last, number);
  }
  const [answer] = facts.of("answered", call);
  const run = facts.of("ran", call).find((ran) => ran.run === answer?.run);
  const expected = run?.events ?? last;
  const missing = Array.from({ length: expected }, (_, index) => index + 1).filter((number) => !seen.has(number));
  if (missing.length > 0) say("no event lost", `${missing.join(", ")} of ${expected} events never came`);
  return found;
}

/** A run that another one has followed has no effect any more, and its result is not that of the task. */
function effectFindings(call: string, facts: Facts): Finding[] {
  const found: Finding[] = [];
  const say = (promise: Promised, what: string) => found.push({ promise, what: `${call}: ${what}` });
  const began = facts.of("began", call);
  const beginOf = (run: string) => began.find((begin) => begin.run === run)?.at ?? 0;
  const isFollowed = (run: string, at: number) => began.some((next) => next.at > beginOf(run) && next.at < at);
  const effects = facts.of("effect", call);
  for (const { run, at } of effects) {
    if (isFollowed(run, at)) say("effect once", `${run} had an effect after another run had begun`);
  }
  for (const [index, { run, replica, at }] of effects.entries()) {
    const next = effects[index + 1];
    // A process that ends or is suspended between an effect and its note in the store leaves it to the next run.
    if (next && !lostBetween(replica, at, next.at, facts)) say("effect once", `${next.run} repeated that of ${run}`);
  }
  for (const { run } of facts.of("answered", call)) {
    const [ran] = facts.of("ran", call).filter((each) => each.run === run);
    if (ran && isFollowed(run, ran.at)) say("result of the last run", `${run} made it after another run had begun`);
  }
  return found;
}

/** The numbers of the GET stream of a client count up by one, from where the client opened it. */
function streamFindings(facts: Facts): Finding[] {
  const found: Finding[] = [];
  const lasts = new Map<string, number>();
  for (const fact of facts.of("stream event")) {
    const { client, number } = fact;
    if (number === undefined) {
      lasts.delete(client);
      continue;
    }
    const last = lasts.get(client) ?? number - 1;
    const say = (promise: Promised) => found.push({ promise, what: `${client}: stream event ${number} after ${last}` });
    if (number === last) say("no event twice");
    else if (number < last) say("events in order");
    else if (number > last + 1) say("no event lost");
    lasts.set(client, number);
  }
  return found;
}

/** Answers and events of calls that nobody made. */
function strangerFindings(facts: Facts): Finding[] {
  const asked = new Set(facts.of("asked").map(({ call }) => call));
  return facts
    .of("began")
    .filter(({ call }) => !asked.has(call))
    .map(({ call, replica }) => ({ promise: "run once", what: `${call} ran at ${replica}, and nobody asked for it` }));
}

/** Each client opens one session, before the first fault. */
function sessionFindings(facts: Facts): Finding[] {
  const sessions = new Map<string, Of<"opened">[]>();
  for (const opened of facts.of("opened")) add(sessions, opened.client, opened);
  return [...sessions].flatMap(([client, [, ...later]]) =>
    later.map(
      ({ replica }): Finding => ({ promise: "session kept", what: `${client} opened another one at ${replica}` }),
    ),
  );
}

function changeFindings(facts: Facts, { hearMs }: CheckLimits): Finding[] {
  const heard = facts.of("heard");
  const ends = facts.of("unsubscribed");
  const found: Finding[] = [];
  for (const { client, topic, at: since } of facts.of("subscribed")) {
    const until = ends.find((end) => end.client === client && end.topic === topic)?.at ?? facts.end;
    const own = heard.filter((each) => each.client === client && each.topic === topic);
    for (const change of facts.of("changed")) {
      const isDue = change.at > since && change.at + hearMs < until && change.topic === topic;
      if (!isDue || own.some(({ at }) => at >= change.at && at <= change.at + hearMs)) continue;
      found.push({ promise: "change heard", what: `${client} did not hear of ${topic}, changed at ${change.replica}` });
    }
  }
  return found;
}

function memoryFindings(facts: Facts, { growthBytes }: CheckLimits): Finding[] {
  const sizes = new Map<string, Of<"memory">[]>();
  for (const memory of facts.of("memory")) add(sizes, memory.process, memory);
  return [...sizes].flatMap(([process, entries]): Finding[] => {
    const growth = (entries.at(-1)?.bytes ?? 0) - (entries[0]?.bytes ?? 0);
    return growth > growthBytes ? [{ promise: "memory flat", what: `${process} grew by ${growth} bytes` }] : [];
  });
}

function keyFindings(facts: Facts, { ttlMs: most }: CheckLimits): Finding[] {
  return facts
    .of("key")
    .filter(({ key, ttlMs }) => !KEPT_KEY.test(key) && (ttlMs < 0 || ttlMs > most))
    .map(({ key, ttlMs }) => ({ promise: "keys expire", what: ttlMs < 0 ? `${key} never` : `${key} in ${ttlMs} ms` }));
}

function endedBy({ call, run, replica }: Of<"began">, by: number, facts: Facts): boolean {
  const ends = [...facts.of("ran", call), ...facts.of("stopped", call)].filter((end) => end.run === run);
  return [...ends, ...facts.of("killed").filter((kill) => kill.replica === replica)].some(({ at }) => at <= by);
}

/** Whether the replica of a run was frozen meanwhile, so that another one may have taken its task up. */
function wasFrozen({ call, run, replica, at }: Of<"ran">, facts: Facts): boolean {
  const began = facts.of("began", call).find((begin) => begin.run === run)?.at ?? at;
  return facts.of("frozen").some((freeze) => freeze.replica === replica && freeze.at > began && freeze.at < at);
}

/** Whether a replica is frozen at a time. Its connection to Redis is lost with the cancellations in it. */
function isFrozen(name: string, time: number, facts: Facts): boolean {
  const freezes = facts.of("frozen").filter(({ replica, at }) => replica === name && at <= time);
  const last = freezes.at(-1)?.at;
  const resumed = facts.of("resumed").some(({ replica, at }) => replica === name && at <= time && at > (last ?? 0));
  return last !== undefined && !resumed;
}

/** Whether a replica was killed or frozen in a time. */
function lostBetween(name: string, from: number, to: number, facts: Facts): boolean {
  const losses = [...facts.of("killed"), ...facts.of("frozen")];
  return losses.some(({ replica, at }) => replica === name && at >= from && at <= to);
}

function diedAfter({ replica, at }: Of<"ran">, facts: Facts): boolean {
  return facts.of("killed").some((kill) => kill.replica === replica && kill.at > at);
}

function add<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
