/** Starts the processes of a studio: a Redis, replicas, and workers. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "parley-mcp/client";
import { tasks } from "parley-mcp/tasks";
import { rolldown } from "rolldown";
import { afterAll } from "vitest";
import { TestRedis } from "../../redis/src/redis-server.fixture.js";
import type { StudioFact } from "./studio-program.fixture.js";

const PACKAGES = fileURLToPath(new URL("../..", import.meta.url));
const DEADLINE_MS = 30_000;

/** One process of the program. */
export class StudioProcess implements AsyncDisposable {
  readonly facts: StudioFact[] = [];
  readonly #child: ChildProcess;
  readonly #listeners = new Set<() => void>();

  constructor(program: string, ...args: readonly string[]) {
    const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).on("line", (line) => {
      this.facts.push(JSON.parse(line));
      for (const listener of this.#listeners) listener();
    });
  }

  /** Waits for the facts of a kind, so many of them. Resolves with the last one. */
  async said(kind: StudioFact["fact"], count = 1): Promise<StudioFact> {
    const find = () => this.facts.filter(({ fact }) => fact === kind)[count - 1];
    return new Promise((resolve, reject) => {
      const deadline = AbortSignal.timeout(DEADLINE_MS);
      deadline.addEventListener("abort", () => {
        reject(new Error(`The process has not said "${kind}", but ${JSON.stringify(this.facts)}`));
      });
      const check = () => {
        const found = find();
        if (found === undefined) return;
        this.#listeners.delete(check);
        resolve(found);
      };
      this.#listeners.add(check);
      check();
    });
  }

  tell(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Resolves once the process has ended, with its exit code and signal. */
  async ended(): Promise<readonly [number | null, NodeJS.Signals | null]> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return [exitCode, signalCode];
    const [code, signal] = await once(this.#child, "exit", { signal: AbortSignal.timeout(DEADLINE_MS) });
    return [code, signal];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGCONT");
    this.#child.kill("SIGKILL");
    await this.ended();
  }
}

/** Builds the program once for the tests of a file. Each studio has a Redis of its own. */
export function useStudios(): () => Promise<Studio> {
  let building: Promise<string> | undefined;
  afterAll(async () => {
    if (building !== undefined) await rm(join(await building, ".."), { recursive: true, force: true });
  });
  return async () => {
    building ??= build();
    return new Studio(await building, await TestRedis.start({ isDurable: true }));
  };
}

export class Studio implements AsyncDisposable {
  readonly redis: TestRedis;
  readonly #program: string;
  readonly #open: AsyncDisposable[] = [];

  constructor(program: string, redis: TestRedis) {
    this.#program = program;
    this.redis = redis;
  }

  async replica(name = "replica"): Promise<StudioProcess & { readonly url: string }> {
    const started = this.#start("replica", name);
    const { url = "" } = await started.said("ready");
    return Object.assign(started, { url });
  }

  async worker(name: string): Promise<StudioProcess> {
    const started = this.#start("worker", name);
    await started.said("ready");
    return started;
  }

  async client({ url }: { readonly url: string }, revision?: "2025-11-25"): Promise<Client> {
    const elicit = () => ({ action: "accept" as const, content: { color: "green" } });
    const identity = { name: "cli", version: "1.0.0", extensions: [tasks], elicit };
    const client = await Client.connect(url, revision ? { ...identity, revision } : identity);
    this.#open.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#open.reverse()) await each[Symbol.asyncDispose]();
    await this.redis[Symbol.asyncDispose]();
  }

  #start(role: string, name: string): StudioProcess {
    const started = new StudioProcess(this.#program, role, name, this.redis.url);
    this.#open.push(started);
    return started;
  }
}

/** Bundles the program with the sources of the packages. It lies inside the repository, so that it finds its dependencies. */
async function build(): Promise<string> {
  const folder = await mkdtemp(join(PACKAGES, "bullmq", ".scratch-"));
  const file = join(folder, "studio.mjs");
  const bundle = await rolldown({
    input: fileURLToPath(new URL("studio-program.fixture.ts", import.meta.url)),
    platform: "node",
    external: ["bullmq", "ioredis", "redis", "undici"],
    resolve: { extensionAlias: { ".js": [".ts"] } },
    plugins: [{ name: "sources", resolveId: (id) => sourceOf(id) }],
  });
  await bundle.write({ file, codeSplitting: false });
  await bundle.close();
  return file;
}

function sourceOf(id: string): string | undefined {
  if (id === "#platform") return join(PACKAGES, "sdk/src/transport/platform/node-platform.ts");
  const [, scoped] = /^@parley-mcp\/(redis|bullmq)$/.exec(id) ?? [];
  if (scoped !== undefined) return join(PACKAGES, scoped, "src/index.ts");
  const [, entry] = /^parley-mcp\/([a-z/-]+)$/.exec(id) ?? [];
  return entry === undefined ? undefined : join(PACKAGES, "sdk/src", entry, "index.ts");
}
