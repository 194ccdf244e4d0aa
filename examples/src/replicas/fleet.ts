/** Three replicas as child processes: each can be killed and started again. Also counts who served what. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { stopped } from "./programs.js";

export const NAMES = ["a", "b", "c"] as const;
export type ReplicaName = (typeof NAMES)[number];

export interface Call {
  readonly at: number;
  readonly era: string;
  /** The replica that answered, or the message of an error. */
  readonly outcome: string;
  readonly ms: number;
}

/** Everything that the page shows. */
export interface FleetState {
  readonly replicas: readonly { readonly name: string; readonly pid: number | undefined; readonly served: number }[];
  /** Newest first. */
  readonly calls: readonly Call[];
}

const MAX_CALLS = 30;
const PROGRAM = new URL("replica.js", import.meta.url);

export class Fleet {
  readonly #redisUrl: string;
  readonly #ports: ReadonlyMap<ReplicaName, number>;
  readonly #running = new Map<ReplicaName, ChildProcess>();
  readonly #served = new Map<ReplicaName, number>();
  readonly #calls: Call[] = [];

  constructor(redisUrl: string, ports: ReadonlyMap<ReplicaName, number>) {
    this.#redisUrl = redisUrl;
    this.#ports = ports;
  }

  get state(): FleetState {
    const replicas = NAMES.map((name) => ({
      name,
      pid: this.#running.get(name)?.pid,
      served: this.#served.get(name) ?? 0,
    }));
    return { replicas, calls: this.#calls };
  }

  async start(name: ReplicaName): Promise<void> {
    if (this.#running.has(name)) return;
    const env = { ...process.env, REDIS_URL: this.#redisUrl, REPLICA: name, PORT: String(this.#ports.get(name)) };
    const child = fork(PROGRAM, { env });
    this.#running.set(name, child);
    child.once("exit", () => void this.#running.delete(name));
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`Replica ${name} ended with ${code}`);
    });
    await Promise.race([once(child, "message"), ended]);
    ended.catch(() => undefined);
  }

  /** Without a chance to finish anything, as when a machine fails. */
  async kill(name: ReplicaName): Promise<void> {
    const child = this.#running.get(name);
    if (child) await stopped(child, "SIGKILL");
  }

  record(call: Call): void {
    this.#calls.unshift(call);
    this.#calls.splice(MAX_CALLS);
    const name = NAMES.find((each) => each === call.outcome);
    if (name) this.#served.set(name, (this.#served.get(name) ?? 0) + 1);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((child) => stopped(child)));
  }
}
