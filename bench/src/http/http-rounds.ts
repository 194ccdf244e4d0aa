/** Interleaved rounds of a load on servers over HTTP, as figures: what the measures "http" and "tools-list" share. */
import type { Figure } from "../figure.js";
import { startAll, stopAll } from "../forked.js";
import { interleave } from "../interleave.js";
import { type Catalog, toolsOf } from "../tools.js";
import { constantAnswer } from "./constant-answer.js";
import type { HttpContender, HttpMode } from "./http-contender.js";
import { type LoadProcess, startLoad } from "./load-process.js";
import { type RunningServer, startServer } from "./server-process.js";

const WARM_UP_CONNECTIONS = 4;

export interface HttpPlan {
  readonly measure: string;
  readonly method: "tools/call" | "tools/list";
  readonly catalog: Catalog;
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
  /** Connection counts at which the 99th percentile is shown too. */
  readonly tailAt: readonly number[];
  /** Connection counts at which calls per second of the server's CPU time are shown too. */
  readonly cpuAt: readonly number[];
}

/** A server, and the number that the load process knows its requests by. */
interface Run {
  readonly server: RunningServer;
  readonly load: number;
}

interface Round {
  readonly rate: number;
  readonly cpuRate: number;
  readonly p99Ms: number;
}

export async function measureMode(
  mode: HttpMode,
  contenders: readonly HttpContender[],
  plan: HttpPlan,
): Promise<Figure[]> {
  const able = contenders.filter(({ modes }) => modes.includes(mode));
  await using load = await startLoad();
  const servers = await startAll(able, (contender) => startServer(contender, mode, plan.catalog));
  try {
    for (const run of await prepare(servers, load, mode, WARM_UP_CONNECTIONS, plan)) {
      await round(load, run, plan.warmUpMs);
    }
    const figures: Figure[] = [];
    for (const connections of plan.connections) {
      figures.push(...(await measureConnections(servers, load, mode, connections, plan)));
    }
    return figures;
  } finally {
    await stopAll(servers);
  }
}

async function measureConnections(
  servers: readonly RunningServer[],
  load: LoadProcess,
  mode: HttpMode,
  connections: number,
  plan: HttpPlan,
): Promise<Figure[]> {
  const runs = await prepare(servers, load, mode, connections, plan);
  const entries = await interleave(runs, plan.rounds, (run) => round(load, run, plan.roundMs));
  const setting = `${mode}, ${connections} ${connections === 1 ? "connection" : "connections"}`;
  return entries.flatMap(({ contender: { server }, rounds }) => {
    const { name, role, note } = server.contender;
    const common = { measure: plan.measure, contender: name, role, ...(note !== undefined && { note }) };
    const rate: Figure = { ...common, setting, unit: "calls/s", values: rounds.map(({ rate }) => rate) };
    const tail: Figure = {
      ...common,
      setting: `${setting}, p99`,
      unit: "ms",
      values: rounds.map(({ p99Ms }) => p99Ms),
    };
    const cpuSetting = `${setting}, per second of the server's CPU time`;
    const cpu: Figure = {
      ...common,
      setting: cpuSetting,
      unit: "calls/s",
      values: rounds.map(({ cpuRate }) => cpuRate),
    };
    return [
      rate,
      ...(plan.tailAt.includes(connections) ? [tail] : []),
      ...(plan.cpuAt.includes(connections) ? [cpu] : []),
    ];
  });
}

async function prepare(
  servers: readonly RunningServer[],
  load: LoadProcess,
  mode: HttpMode,
  connections: number,
  { method, catalog }: HttpPlan,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const server of servers) {
    const { contender, url, headers, proofKey } = server;
    const { role, accept, answersCalls, callsTasks } = contender;
    const constant = role === "floor" && !answersCalls ? constantAnswer(mode, toolsOf(catalog)) : undefined;
    const target = { url, headers, proofKey, mode, method, connections, accept, constant, callsTasks };
    runs.push({ server, load: await load.prepare(target) });
  }
  return runs;
}

async function round(load: LoadProcess, run: Run, ms: number): Promise<Round> {
  const before = await run.server.cpuSeconds();
  const { calls, seconds, p99Ms } = await load.round(run.load, ms).catch((cause: Error) => {
    throw new Error(`${run.server.contender.name}: ${cause.message}`, { cause });
  });
  const cpuSeconds = (await run.server.cpuSeconds()) - before;
  return { rate: calls / seconds, cpuRate: calls / cpuSeconds, p99Ms };
}
