/** How much heap a server holds for each session that idles and for each stream that is open. */
import type { Figure, Measure, RunOptions } from "./figure.js";
import { takesPart } from "./figure.js";
import { HTTP_CONTENDERS } from "./http/contenders.js";
import type { HttpContender, HttpMode } from "./http/http-contender.js";
import { interleave } from "./interleave.js";
import { type HeapProcess, startHeapProcess } from "./memory/heap-process.js";
import { Visitors } from "./memory/visitors.js";

interface Plan {
  readonly rounds: number;
  readonly sessions: number;
  readonly streams: number;
}

const FULL: Plan = { rounds: 3, sessions: 2_000, streams: 500 };
const QUICK: Plan = { rounds: 1, sessions: 400, streams: 100 };

/** It takes a second over each session that it opens. */
const TOO_SLOW = "fastmcp";

export interface Subject {
  readonly setting: string;
  readonly mode: HttpMode;
  count(plan: Plan): number;
  /** What comes before, and then what opens as many. */
  open(visitors: Visitors, count: number): Promise<() => Promise<unknown>>;
}

export const SUBJECTS: readonly Subject[] = [
  {
    setting: "idle session, legacy",
    mode: "legacy sessions",
    count: ({ sessions }) => sessions,
    open: async (visitors, count) => () => visitors.openSessions(count),
  },
  {
    setting: "listen stream, modern",
    mode: "modern",
    count: ({ streams }) => streams,
    open: async (visitors, count) => () => visitors.openListenStreams(count),
  },
  {
    setting: "GET stream, legacy",
    mode: "legacy sessions",
    count: ({ streams }) => streams,
    open: async (visitors, count) => {
      const sessions = await visitors.openSessions(count);
      return () => visitors.openGetStreams(sessions);
    },
  },
];

export const memory: Measure = {
  name: "memory",
  title: "Heap per idle session and per open stream",
  notMeasured:
    "Heap in use after garbage collection, more of it per session or stream; a GET stream is counted without its " +
    "session. Not measured: memory outside the heap, such as the sockets' buffers; sessions after calls; event stores; fastmcp.",
  targets: [
    { setting: "idle session, legacy", compare: "above-floor", at: 2, label: "heap per idle session" },
    { setting: "listen stream, modern", compare: "above-floor", at: 8, label: "heap per open stream" },
  ],
  async run({ quick, only }: RunOptions) {
    const plan = quick ? QUICK : FULL;
    const cells = SUBJECTS.flatMap((subject) =>
      memoryContenders(subject.mode)
        .filter((contender) => takesPart(contender, only))
        .map((contender) => ({ subject, contender })),
    );
    const entries = await interleave(cells, plan.rounds, ({ subject, contender }) =>
      measureOne(subject, contender, plan),
    );
    return entries.map(
      ({ contender: { subject, contender }, rounds }): Figure => ({
        measure: "memory",
        setting: subject.setting,
        contender: contender.name,
        role: contender.role,
        unit: "KB",
        values: rounds,
        ...(contender.role === "floor" && { note: "a UUID in a Map; a response of bare node:http, held open" }),
      }),
    );
  },
};

/** Servers of a mode that keep sessions and streams. */
export function memoryContenders(mode: HttpMode): readonly HttpContender[] {
  return HTTP_CONTENDERS.filter(
    ({ name, modes, methods }) => name !== TOO_SLOW && modes.includes(mode) && methods === undefined,
  );
}

async function measureOne(subject: Subject, { name }: HttpContender, plan: Plan): Promise<number> {
  await using server = await startHeapProcess(name, subject.mode);
  using visitors = new Visitors(server.url);
  return await kilobytesEach(server, visitors, subject, subject.count(plan));
}

/** What each of `count` takes of the heap. */
export async function kilobytesEach(
  server: HeapProcess,
  visitors: Visitors,
  subject: Subject,
  count: number,
): Promise<number> {
  // What is made once, and code that is compiled on its first runs, is not what each costs.
  await (await subject.open(visitors, Math.ceil(count / 5)))();
  const open = await subject.open(visitors, count);
  const before = await server.heapBytes();
  await open();
  return ((await server.heapBytes()) - before) / count / 1_024;
}
