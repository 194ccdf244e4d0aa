/** Starts Redis servers for tests, each on a port of its own and with its data in a temporary folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, inject } from "vitest";
import { RedisConnection, type RedisConnectionOptions } from "./redis-connection.js";

declare module "vitest" {
  export interface ProvidedContext {
    redisPath: string | undefined;
  }
}

const ADVICE = "install redis-server (on Debian `apt-get install redis-server`), or name it in REDIS_SERVER_PATH";

export class TestRedis implements AsyncDisposable {
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #isDurable: boolean;
  #server: ChildProcess | undefined;

  private constructor(folder: string, port: number, isDurable: boolean) {
    this.#folder = folder;
    this.#port = port;
    this.#isDurable = isDurable;
    this.url = `redis://127.0.0.1:${port}`;
  }

  /** A durable server keeps its data over a restart. */
  static async start({ isDurable = false }: { readonly isDurable?: boolean } = {}): Promise<TestRedis> {
    const redis = new TestRedis(await mkdtemp(join(tmpdir(), "parley-redis-")), await freePort(), isDurable);
    await redis.restart();
    return redis;
  }

  /** Starts the server again on its port, without its data unless it is durable. */
  async restart(): Promise<void> {
    const path = inject("redisPath");
    if (path === undefined) throw new Error(`There is no Redis to test with: ${ADVICE}`);
    const kept = this.#isDurable ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"];
    const options = ["--bind", "127.0.0.1", "--save", "", ...kept, "--dir", this.#folder];
    const server = spawn(path, ["--port", String(this.#port), ...options], { stdio: ["ignore", "pipe", "inherit"] });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.stdout?.on("data", (lines: Buffer) => {
        if (lines.includes("Ready to accept connections")) resolve();
      });
      server.once("exit", (code) => reject(new Error(`redis-server ended with ${code}`)));
    });
  }

  async kill(): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGKILL");
    await ended;
  }

  /** Lets the server hang: connections stay open, and commands are not answered. */
  pause(): void {
    this.#server?.kill("SIGSTOP");
  }

  resume(): void {
    this.#server?.kill("SIGCONT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** One server for the tests of a file. Each connection has a prefix of its own, unless it is named. */
export function useRedis(): (options?: RedisConnectionOptions) => Promise<RedisConnection> {
  const connections: RedisConnection[] = [];
  let starting: Promise<TestRedis> | undefined;
  let count = 0;
  afterAll(async () => {
    for (const connection of connections) await connection.close();
    await (await starting)?.[Symbol.asyncDispose]();
  });
  return async (options) => {
    starting ??= TestRedis.start();
    count += 1;
    const connection = await RedisConnection.open((await starting).url, { prefix: `test-${count}`, ...options });
    connections.push(connection);
    return connection;
  };
}

/** Waits until the promise of `check` resolves with true, up to ten seconds. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error("The condition did not become true within ten seconds");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("The port of a TCP server is unknown");
  return address.port;
}
