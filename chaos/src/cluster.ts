/** Redis, three replicas and HAProxy on this machine, in processes that can be killed, frozen and started again. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createClient } from "redis";
import type { StoreFault } from "./faulty-stores.js";
import { historyWriter, type Write } from "./history.js";
import { LineProxy } from "./line-proxy.js";

export interface ClusterOptions {
  /** A folder for the data of Redis and the history. */
  readonly folder: string;
  readonly redisPath: string;
  readonly haproxyPath: string;
  readonly storeFault?: StoreFault | undefined;
}

export const REPLICAS = ["a", "b", "c"] as const;
export type ReplicaName = (typeof REPLICAS)[number];

/** Starting takes long on a machine that is busy. */
const DEADLINE_MS = 60_000;
const PROGRAM = new URL("replica.js", import.meta.url);
const HAPROXY_CONFIGURATION = fileURLToPath(new URL("../../examples/replicas/haproxy.cfg", import.meta.url));

export class Cluster implements AsyncDisposable {
  readonly write: Write;
  readonly history: string;
  readonly #options: ClusterOptions;
  readonly #replicas = new Map<ReplicaName, ChildProcess>();
  readonly #ports = new Map<ReplicaName, number>();
  readonly #redisPort: number;
  #redis: ChildProcess | undefined;
  #haproxy: ChildProcess | undefined;
  /** Between the clients and HAProxy. */
  #front: LineProxy | undefined;
  /** Between the replicas and Redis. */
  #redisLine: LineProxy | undefined;

  private constructor(options: ClusterOptions, redisPort: number) {
    this.#options = options;
    this.#redisPort = redisPort;
    this.history = join(options.folder, "history");
    mkdirSync(this.history, { recursive: true });
    this.write = historyWriter(this.history, "run");
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(options, await freePort());
    try {
      await cluster.startRedis();
      cluster.#redisLine = await LineProxy.start(cluster.#redisPort);
      for (const name of REPLICAS) cluster.#ports.set(name, await freePort());
      await Promise.all(REPLICAS.map((name) => cluster.startReplica(name)));
      await cluster.#startHaproxy();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Where clients connect. */
  get url(): string {
    return `http://127.0.0.1:${this.front.port}/mcp`;
  }

  get front(): LineProxy {
    return running(this.#front);
  }

  get redisLine(): LineProxy {
    return running(this.#redisLine);
  }

  async startReplica(name: ReplicaName): Promise<void> {
    const { storeFault } = this.#options;
    const child = fork(PROGRAM, {
      execArgv: ["--expose-gc", "--no-warnings"],
      env: {
        ...process.env,
        REDIS_URL: `redis://127.0.0.1:${this.redisLine.port}`,
        HISTORY: this.history,
        REPLICA: name,
        PORT: String(this.#ports.get(name)),
        ...(storeFault && { STORE_FAULT: storeFault }),
      },
    });
    this.#replicas.set(name, child);
    await first(`replica ${name}`, child);
  }

  /** A replica that could not start, such as while Redis is away, is started again. */
  async restartReplica(name: ReplicaName): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      try {
        return await this.startReplica(name);
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await wait(200);
      }
    }
  }

  async killReplica(name: ReplicaName): Promise<void> {
    this.write({ kind: "killed", replica: name });
    await end(this.#replicas.get(name), "SIGKILL");
  }

  freezeReplica(name: ReplicaName): void {
    this.write({ kind: "frozen", replica: name });
    this.#replicas.get(name)?.kill("SIGSTOP");
  }

  thawReplica(name: ReplicaName): void {
    this.write({ kind: "resumed", replica: name });
    this.#replicas.get(name)?.kill("SIGCONT");
  }

  /** Its data is in a file, as the documents advise. */
  async startRedis(): Promise<void> {
    const files = ["--dir", this.#options.folder, "--save", "", "--appendonly", "yes"];
    const args = [
      "--port",
      String(this.#redisPort),
      "--bind",
      "127.0.0.1",
      "--maxmemory-policy",
      "noeviction",
      ...files,
    ];
    this.#redis = spawn(this.#options.redisPath, args, { stdio: "ignore" });
    // While it reads its data, it answers with an error.
    await eventually("Redis", async () => (await this.askRedis(["PING"]))[0] === "PONG");
  }

  async killRedis(signal: NodeJS.Signals): Promise<void> {
    await end(this.#redis, signal);
  }

  /** Over a connection of its own, past the line that may be slow. */
  async askRedis(...commands: readonly (readonly string[])[]): Promise<unknown[]> {
    const client = createClient({
      url: `redis://127.0.0.1:${this.#redisPort}`,
      socket: { reconnectStrategy: (retries) => (retries < 100 ? 50 : new Error("Redis does not answer")) },
    });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return await Promise.all(commands.map((command) => client.sendCommand([...command])));
    } finally {
      client.destroy();
    }
  }

  /** Heap of each replica and memory of Redis, after a collection. */
  async measureMemory(): Promise<void> {
    for (const name of REPLICAS) {
      const child = this.#replicas.get(name);
      child?.send("measure");
      const { heapBytes } = (await first(`replica ${name}`, child)) as { heapBytes: number };
      this.write({ kind: "memory", process: `replica ${name}`, bytes: heapBytes });
    }
    const [info] = await this.askRedis(["INFO", "memory"]);
    const [, bytes = "0"] = /used_memory:(\d+)/.exec(String(info)) ?? [];
    this.write({ kind: "memory", process: "Redis", bytes: Number(bytes) });
  }

  /** Writes the keys that Redis still has into the history. */
  async recordKeys(): Promise<readonly { key: string; ttlMs: number }[]> {
    const keys = ((await this.askRedis(["KEYS", "*"]))[0] as string[]) ?? [];
    const ttls = await this.askRedis(...keys.map((key) => ["PTTL", key]));
    const found = keys.map((key, index) => ({ key, ttlMs: Number(ttls[index]) }));
    for (const each of found) this.write({ kind: "key", ...each });
    return found;
  }

  async stopReplicas(): Promise<void> {
    await Promise.all(
      REPLICAS.map(async (name) => {
        const child = this.#replicas.get(name);
        if (child?.connected) child.send("stop");
        await ended(child);
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#replicas.values()].map((child) => end(child, "SIGKILL")));
    await end(this.#haproxy, "SIGKILL");
    await end(this.#redis, "SIGKILL");
    await this.#front?.[Symbol.asyncDispose]();
    await this.#redisLine?.[Symbol.asyncDispose]();
  }

  async #startHaproxy(): Promise<void> {
    const port = await freePort();
    const ports = REPLICAS.map((name) => [`PORT_${name.toUpperCase()}`, String(this.#ports.get(name))]);
    this.#haproxy = spawn(this.#options.haproxyPath, ["-db", "-f", HAPROXY_CONFIGURATION], {
      env: { ...process.env, HAPROXY_PORT: String(port), ...Object.fromEntries(ports) },
      stdio: ["ignore", "ignore", "ignore"],
    });
    this.#front = await LineProxy.start(port);
    await eventually("HAProxy", async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok);
  }
}

function running(proxy: LineProxy | undefined): LineProxy {
  if (proxy === undefined) throw new Error("The cluster was not started");
  return proxy;
}

/** The first message of a child. @throws {Error} if the child ends before it. */
export async function first(name: string, child: ChildProcess | undefined): Promise<unknown> {
  if (child === undefined) throw new Error(`${name} was not started`);
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const exit = once(child, "exit", { signal: deadline }).then(([code, signal]) => {
    throw new Error(`${name} ended with ${code ?? signal}`);
  });
  const [message] = await Promise.race([once(child, "message", { signal: deadline }), exit]);
  exit.catch(() => undefined);
  return message;
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child?.exitCode === null && child.signalCode === null) child.kill(signal);
  await ended(child);
}

/** Kills what does not end by itself. */
export async function ended(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  await once(child, "exit");
  clearTimeout(timer);
}

async function eventually(name: string, check: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await check().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`${name} does not answer`);
    await wait(50);
  }
}

/** Systems hand out the ports above when a program connects, so a replica that starts again finds its port free. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
