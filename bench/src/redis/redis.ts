/** The measure "redis": the same work with the state in Redis and in memory, its commands, and one and two processes. */
import type { Figure, Measure } from "../figure.js";
import { Forked, stopAll } from "../forked.js";
import { interleave } from "../interleave.js";
import type { BackendName } from "./backends.js";
import { startRedis } from "./bench-redis.js";
import { SharedLoad } from "./shared-load.js";
import { measureSizes, type Sizes } from "./sizes.js";
import type { Round, RoundResult } from "./subject-process.js";
import { SUBJECTS, type Subject } from "./subjects.js";

interface RedisPlan {
  readonly rounds: number;
  readonly operations: number;
  readonly lanes: number;
  readonly throughputMs: number;
}

const FULL: RedisPlan = { rounds: 7, operations: 1_000, lanes: 8, throughputMs: 1_000 };
const QUICK: RedisPlan = { rounds: 3, operations: 200, lanes: 8, throughputMs: 200 };
const BACKENDS: readonly BackendName[] = ["Redis", "memory"];
const SUBJECT_PROCESS = new URL("subject-process.js", import.meta.url);
const REPLICA_PROCESS = new URL("replica-process.js", import.meta.url);

export const redis: Measure = {
  name: "redis",
  title: "State in Redis against state in memory, with client and server in one process; commands per operation",
  notMeasured:
    "Redis runs on the same machine and without a file. The floor is the same server with its stores in memory. Two processes and the " +
    "load share the cores of the machine. Not measured: a network between; large payloads; Redis at its limits.",
  targets: [
    { setting: "call in a legacy session, commands", compare: "absolute", at: 1, label: "round trips" },
    { setting: "listen delivery, commands", compare: "absolute", at: 1, label: "round trips" },
  ],
  run: ({ quick }) => measureRedis(quick ? QUICK : FULL),
};

async function measureRedis(plan: RedisPlan): Promise<Figure[]> {
  await using server = await startRedis();
  const figures: Figure[] = [];
  for (const subject of SUBJECTS) figures.push(...(await measureSubject(subject, plan, server.url)));
  figures.push(...(await measureProcesses(plan, server.url)));
  figures.push(...sizeFigures(await measureSizes(server.url, plan.operations)));
  return figures;
}

async function measureSubject({ setting }: Subject, plan: RedisPlan, url: string): Promise<Figure[]> {
  // Deliveries to several listeners would count as one operation.
  const lanes = setting === "listen delivery" ? 1 : plan.lanes;
  const round: Round = { operations: plan.operations, lanes };
  const running: { readonly name: BackendName; readonly forked: Forked }[] = [];
  try {
    for (const name of BACKENDS) {
      const [forked] = await Forked.start(`${setting}, ${name}`, SUBJECT_PROCESS, [setting, name, url]);
      running.push({ name, forked });
      await forked.ask(round);
    }
    const entries = await interleave(running, plan.rounds, ({ forked }) => forked.ask<RoundResult>(round));
    return entries.flatMap(({ contender: { name }, rounds }) => figuresOf(setting, name, rounds));
  } finally {
    await stopAll(running.map(({ forked }) => forked));
  }
}

function figuresOf(setting: string, name: BackendName, rounds: readonly RoundResult[]): Figure[] {
  const rates: Figure = {
    measure: "redis",
    setting,
    contender: name,
    role: name === "Redis" ? "ours" : "floor",
    unit: "calls/s",
    values: rounds.map(({ perSecond }) => perSecond),
  };
  if (name === "memory") return [rates];
  const values = rounds.map(({ commandsPerOperation }) => commandsPerOperation);
  return [rates, { ...rates, setting: `${setting}, commands`, unit: "commands", values }];
}

function sizeFigures({ sessionBytes, eventBytes, taskBytes }: Sizes): Figure[] {
  const kept = { "kept session": sessionBytes, "kept event of 140 characters": eventBytes, "kept task": taskBytes };
  return Object.entries(kept).map(([setting, bytes]) => ({
    measure: "redis",
    setting,
    contender: "Redis",
    role: "ours",
    unit: "KB",
    values: [bytes / 1_024],
  }));
}

/** Each call of a session goes to the next process. */
async function measureProcesses(plan: RedisPlan, url: string): Promise<Figure[]> {
  const processes: Forked[] = [];
  const urls: string[] = [];
  try {
    for (const name of ["first", "second"]) {
      const [forked, address] = await Forked.start<string>(`the ${name} process`, REPLICA_PROCESS, [url]);
      processes.push(forked);
      urls.push(address);
    }
    await using one = await SharedLoad.open(urls.slice(0, 1), plan.lanes);
    await using two = await SharedLoad.open(urls, plan.lanes);
    const loads = [
      { name: "one process", role: "floor" as const, load: one },
      { name: "two processes", role: "ours" as const, load: two },
    ];
    for (const { load } of loads) await load.callsPerSecond(plan.throughputMs);
    const entries = await interleave(loads, plan.rounds, ({ load }) => load.callsPerSecond(plan.throughputMs));
    return entries.map(({ contender: { name, role }, rounds }) => ({
      measure: "redis",
      setting: `legacy sessions of all processes, ${plan.lanes} connections`,
      contender: name,
      role,
      unit: "calls/s",
      values: rounds,
    }));
  } finally {
    await stopAll(processes);
  }
}
