/** One run: a cluster, its clients, the faults, a calm, and the check of the history. */
import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { checkHistory, type Finding, LIMITS } from "./checker.js";
import { CLIENT_KINDS, type ClientKind } from "./clients/kinds.js";
import { Cluster, type ClusterOptions, ended, first } from "./cluster.js";
import { type Fault, strikeFor } from "./faults.js";
import { readHistory } from "./history.js";

export interface RunOptions extends ClusterOptions {
  readonly faultsMs: number;
  /** Load without faults at the end, in which memory must not grow. */
  readonly calmMs: number;
  /** How long keys may take to expire after the end. 0 leaves the check of their expiries. */
  readonly expiryMs: number;
  /** @defaultValue all */
  readonly faults?: readonly Fault[] | undefined;
  /** @defaultValue all */
  readonly kinds?: readonly ClientKind[] | undefined;
  /** Time for a change to reach each subscriber. @defaultValue that of the checker */
  readonly hearMs?: number | undefined;
  readonly onStep?: ((text: string) => void) | undefined;
}

export interface RunReport {
  readonly findings: readonly Finding[];
  readonly strikes: number;
  readonly counts: Readonly<Record<string, number>>;
}

const LOAD = new URL("load.js", import.meta.url);
// A type cannot say that the keys are those of the object.
export const ALL_KINDS = Object.keys(CLIENT_KINDS) as ClientKind[];

export async function runChaos(options: RunOptions): Promise<RunReport> {
  const { faultsMs, calmMs, expiryMs, kinds = ALL_KINDS, onStep = () => undefined } = options;
  await using cluster = await Cluster.start(options);
  const clients: ChildProcess[] = [];
  try {
    clients.push(...kinds.map((kind) => startLoad(cluster, kind)));
    await Promise.all(clients.map((client, index) => first(kinds[index] ?? "", client)));
    onStep(`${kinds.length} kinds of clients call ${cluster.url}`);
    const strikes = faultsMs === 0 ? 0 : await strikeFor(cluster, faultsMs, options.faults);
    onStep(`${strikes} faults have struck; the calm begins`);
    await wait(calmMs / 2);
    await cluster.measureMemory();
    await wait(calmMs / 2);
    await cluster.measureMemory();
    for (const client of clients) if (client.connected) client.send("stop");
    await Promise.all(clients.map(ended));
    await cluster.stopReplicas();
    await cluster.recordKeys();
    const left = expiryMs === 0 ? [] : await keysLeft(cluster, expiryMs, onStep);
    const history = readHistory(cluster.history);
    const limits = { ...LIMITS, ...(options.hearMs !== undefined && { hearMs: options.hearMs }) };
    const counts: Record<string, number> = {};
    for (const { kind } of history) counts[kind] = (counts[kind] ?? 0) + 1;
    const crashed = clients.filter(({ exitCode }) => exitCode !== 0).length;
    const crashes: Finding[] = crashed === 0 ? [] : [{ promise: "settled", what: `${crashed} clients crashed` }];
    return { findings: [...checkHistory(history, limits), ...left, ...crashes], strikes, counts };
  } finally {
    for (const client of clients) client.kill("SIGKILL");
  }
}

function startLoad(cluster: Cluster, kind: ClientKind): ChildProcess {
  const env = { ...process.env, KIND: kind, URL: cluster.url, HISTORY: cluster.history };
  return fork(LOAD, { env, execArgv: ["--no-warnings"] });
}

/** Waits until all keys but the one that seals states are gone. */
async function keysLeft(cluster: Cluster, ms: number, onStep: (text: string) => void): Promise<Finding[]> {
  const until = performance.now() + ms;
  for (;;) {
    const [keys] = (await cluster.askRedis(["KEYS", "*"])) as [string[]];
    const left = keys.filter((key) => !key.endsWith(":state-key"));
    if (left.length === 0) return [];
    if (performance.now() > until)
      return left.map((key) => ({ promise: "keys expire", what: `${key} is still there` }));
    onStep(`${left.length} keys wait for their expiry, such as ${left[0]}`);
    await wait(Math.min(10_000, Math.max(1, until - performance.now())));
  }
}
