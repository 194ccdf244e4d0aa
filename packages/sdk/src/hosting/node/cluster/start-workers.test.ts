/** Real workers on one port. */
import cluster from "node:cluster";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { Client } from "../../../client/client.js";
import { type StartWorkersOptions, startWorkers } from "./start-workers.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-cluster-"));
  const exec = join(folder, "worker.mjs");
  const bundle = await rolldown({
    input: fileURLToPath(new URL("worker-program.fixture.ts", import.meta.url)),
    platform: "node",
    resolve: { extensionAlias: { ".js": [".ts"] } },
  });
  await bundle.write({ file: exec, codeSplitting: false });
  await bundle.close();
  cluster.setupPrimary({ exec, args: [], execArgv: [] });
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(options: StartWorkersOptions = {}) {
  const url = new Promise<string>((resolve) => {
    const onMessage = (_worker: unknown, message: { readonly url?: string }) => {
      if (message.url !== undefined) resolve(message.url);
    };
    cluster.on("message", onMessage);
    onTestFinished(() => void cluster.off("message", onMessage));
  });
  const workers = await startWorkers({ count: 2, restartDelayMs: 10, ...options });
  onTestFinished(() => workers.close());
  return { workers, url: await url };
}

const connect = async (url: string, revision: "2025-11-25" | "2026-07-28") => {
  const client = await Client.connect(url, { name: "cli", version: "1.0.0", revision });
  onTestFinished(() => client.close());
  return client;
};

const textOf = async (result: Promise<{ readonly content: readonly unknown[] }>) =>
  ((await result).content[0] as { readonly text: string }).text;

describe("startWorkers", () => {
  it("serves one port with all workers, in both eras", async () => {
    const { workers, url } = await start();
    expect(workers.pids).toHaveLength(2);
    const modern = await connect(url, "2026-07-28");
    const pids = await Promise.all(Array.from({ length: 12 }, () => textOf(modern.callTool("pid"))));
    expect(new Set(pids)).toEqual(new Set(workers.pids.map(String)));

    const legacy = await connect(url, "2025-11-25");
    const own = await Promise.all(Array.from({ length: 12 }, () => textOf(legacy.callTool("pid"))));
    expect(new Set(own).size).toBe(1);
  }, 30_000);

  it("tells the clients of all workers of a change", async () => {
    const { url } = await start();
    const clients = await Promise.all([1, 2, 3, 4].map(() => connect(url, "2026-07-28")));
    const streams = await Promise.all(clients.map((client) => client.listen({ resource: ["file:///changed"] })));
    const heard = streams.map((stream) => stream[Symbol.asyncIterator]().next());
    await clients[0]?.callTool("change");
    const first = await Promise.all(heard);
    expect(first.map(({ done }) => done)).toEqual([false, false, false, false]);
  }, 30_000);

  it("replaces a worker that ends", async () => {
    const onWorkerLost = vi.fn();
    const { workers } = await start({ onWorkerLost });
    const [pid = 0] = workers.pids;
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(onWorkerLost).toHaveBeenCalledWith(pid), 10_000);
    await vi.waitFor(() => expect(workers.pids).toHaveLength(2), 10_000);
    expect(workers.pids).not.toContain(pid);
  }, 30_000);

  it("tries again if the replacement fails, and stops when it is closed", async () => {
    const { workers } = await start({ count: 1 });
    const forks = vi.spyOn(cluster, "fork");
    vi.stubEnv("WORKER_FAILS", "1");
    process.kill(workers.pids[0] ?? 0, "SIGKILL");
    await vi.waitFor(() => expect(forks.mock.calls.length).toBeGreaterThan(2), 20_000);
    vi.unstubAllEnvs();
    await workers.close();
    expect(workers.pids).toEqual([]);
  }, 30_000);

  it("loses no worker by being closed", async () => {
    const onWorkerLost = vi.fn();
    const { workers } = await start({ onWorkerLost });
    await workers.close();
    expect(onWorkerLost).not.toHaveBeenCalled();
  }, 30_000);

  it("starts no replacement once it is closed", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    const cleared = vi.spyOn(globalThis, "clearTimeout");
    onTestFinished(() => void vi.restoreAllMocks());
    const restartDelayMs = 54_321;
    const { workers } = await start({ count: 1, restartDelayMs });
    process.kill(workers.pids[0] ?? 0, "SIGKILL");
    const isRestart = ([, ms]: readonly unknown[]) => ms === restartDelayMs;
    await vi.waitFor(() => expect(timers.mock.calls.some(isRestart)).toBe(true), 10_000);

    await workers.close();

    const restart = timers.mock.results[timers.mock.calls.findIndex(isRestart)];
    expect(cleared).toHaveBeenCalledWith(restart?.value);
  }, 30_000);

  it("survives the errors of a worker's channel", async () => {
    const { workers, url } = await start();
    for (const worker of Object.values(cluster.workers ?? {})) worker?.emit("error", new Error("Channel closed"));
    expect(workers.pids.map(String)).toContain(await textOf((await connect(url, "2026-07-28")).callTool("pid")));
  }, 30_000);

  it("refuses a worker", async () => {
    Object.defineProperty(cluster, "isPrimary", { value: false, configurable: true, writable: true });
    await expect(startWorkers()).rejects.toThrow("this process is a worker itself");
    Object.defineProperty(cluster, "isPrimary", { value: true, configurable: true, writable: true });
  });

  it("rejects if a worker ends before it listens", async () => {
    vi.stubEnv("WORKER_FAILS", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(startWorkers({ count: 2 })).rejects.toThrow("A worker ended before it listened");
    await expect(startWorkers()).rejects.toThrow("A worker ended before it listened");
  }, 30_000);

  it("kills workers that ignore SIGTERM", async () => {
    vi.stubEnv("WORKER_STAYS", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    await using workers = await startWorkers({ count: 1, shutdownGraceMs: 100 });
    await workers.close();
    expect(workers.pids).toEqual([]);
  }, 30_000);

  it.each([
    [{ count: 0 }, "count"],
    [{ restartDelayMs: -1 }, "restartDelayMs"],
    [{ shutdownGraceMs: Number.NaN }, "shutdownGraceMs"],
    [{ worker: 1 }, "worker"],
  ])("refuses %j", async (options, name) => {
    await expect(startWorkers(options as StartWorkersOptions)).rejects.toThrow(name);
  });
});
