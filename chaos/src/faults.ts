/** The faults of a run. Each breaks something, and has it whole again when its promise resolves. */
import { setTimeout as wait } from "node:timers/promises";
import { type Cluster, REPLICAS, type ReplicaName } from "./cluster.js";

export interface Fault {
  readonly name: string;
  strike(cluster: Cluster, replica: ReplicaName): Promise<void>;
}

const DOWN_MS = 700;
/** Longer than HAProxy takes to notice it, and shorter than a replica counts as alive. */
const FROZEN_MS = 2_500;
/** Longer than everything that a replica holds for a time: see `replica.ts`. Others have taken it over. */
const OVERDUE_MS = 12_000;
const SLOW_LINE_MS = 150;
/** Longer than a command may take. */
const HANGING_MS = 2_500;
const SLOW_MS = 2_000;

export const FAULTS: readonly Fault[] = [
  {
    name: "a replica is killed",
    strike: async (cluster, replica) => {
      await cluster.killReplica(replica);
      await wait(DOWN_MS);
      await cluster.restartReplica(replica);
    },
  },
  {
    name: "connections of clients are cut",
    strike: async (cluster) => cluster.front.cut(),
  },
  {
    name: "Redis is slow",
    strike: async (cluster) => {
      cluster.redisLine.delayMs = SLOW_LINE_MS;
      await wait(SLOW_MS);
      cluster.redisLine.delayMs = 0;
    },
  },
  {
    name: "a replica is frozen",
    strike: async (cluster, replica) => {
      cluster.freezeReplica(replica);
      await wait(FROZEN_MS);
      cluster.thawReplica(replica);
    },
  },
  {
    name: "a replica is frozen beyond its leases",
    strike: async (cluster, replica) => {
      cluster.freezeReplica(replica);
      await wait(OVERDUE_MS);
      cluster.thawReplica(replica);
    },
  },
  {
    name: "connections to Redis are cut",
    strike: async (cluster) => cluster.redisLine.cut(),
  },
  {
    name: "Redis is restarted",
    strike: async (cluster) => {
      await cluster.killRedis("SIGKILL");
      await wait(DOWN_MS);
      await cluster.startRedis();
    },
  },
  {
    name: "Redis hangs",
    strike: async (cluster) => {
      cluster.redisLine.delayMs = HANGING_MS;
      await wait(HANGING_MS);
      cluster.redisLine.delayMs = 0;
    },
  },
];

const PAUSE_MS = 1_500;

/** Strikes with one fault after the other, and kills a replica between any two, until the time is over. */
export async function strikeFor(cluster: Cluster, ms: number, faults: readonly Fault[] = FAULTS): Promise<number> {
  const until = performance.now() + ms;
  const [kill] = FAULTS;
  const rounds = faults.flatMap((fault) => (fault === kill || kill === undefined ? [fault] : [fault, kill]));
  let count = 0;
  while (performance.now() < until) {
    const fault = rounds[count % rounds.length];
    const replica = REPLICAS[count % REPLICAS.length] ?? "a";
    cluster.write({ kind: "fault", name: fault?.name ?? "" });
    await fault?.strike(cluster, replica);
    count += 1;
    await wait(PAUSE_MS);
  }
  return count;
}
