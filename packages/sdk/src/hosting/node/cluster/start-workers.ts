/** The primary process of `node:cluster`: starts workers, replaces those that end, and passes their changes on. */
import type { Worker } from "node:cluster";
import { checkDuration, checkWholeNumber } from "../../../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../../../errors/option-table.js";
import { SdkError } from "../../../errors/sdk-error.js";
import { timerMs, withTimeout } from "../../../runtime/timers.js";
import { type WorkerMessage, workerMessageIn } from "./worker-messages.js";

/** Options of `startWorkers`. */
export interface StartWorkersOptions {
  /** Number of workers. @defaultValue the number of cores that this process may use */
  readonly count?: number | undefined;
  /** Time until a worker that has ended is replaced. @defaultValue 1_000 */
  readonly restartDelayMs?: number | undefined;
  /** Time that `close` gives workers to end after SIGTERM. Then it kills them. @defaultValue 15_000 */
  readonly shutdownGraceMs?: number | undefined;
  /** Called when a worker ends that was not told to. It is replaced. @defaultValue none */
  readonly onWorkerLost?: ((pid: number) => void) | undefined;
}

const OPTIONS: OptionTable<StartWorkersOptions> = {
  count: true,
  restartDelayMs: true,
  shutdownGraceMs: true,
  onWorkerLost: "function",
};

/** The workers of this process. */
export interface WorkersHandle extends AsyncDisposable {
  /** Process ids of the workers that run. */
  readonly pids: readonly number[];
  /** Sends SIGTERM to the workers, and waits until they have ended. */
  close(): Promise<void>;
}

const KEY_BYTES = 32;

/**
 * Starts this program again in workers, which share its ports. A worker that ends is replaced. Resolves once all workers listen.
 *
 * @throws {SdkError} `invalid-argument` in a worker, or for options that cannot work; `handler-failed` if a worker ends before it listens
 * @example
 * if (cluster.isPrimary) await startWorkers({ count: 4 });
 */
export async function startWorkers(options: StartWorkersOptions = {}): Promise<WorkersHandle> {
  checkOptions("startWorkers", options, OPTIONS);
  const [{ default: cluster }, { availableParallelism, tmpdir }, { mkdtemp, rm }, { join }] = await Promise.all([
    import("node:cluster"),
    import("node:os"),
    import("node:fs/promises"),
    import("node:path"),
  ]);
  const { count = availableParallelism(), restartDelayMs = 1_000, shutdownGraceMs = 15_000, onWorkerLost } = options;
  checkWholeNumber("count", count, 1);
  checkDuration("restartDelayMs", restartDelayMs);
  checkDuration("shutdownGraceMs", shutdownGraceMs);
  if (!cluster.isPrimary) throw new SdkError("invalid-argument", "startWorkers: this process is a worker itself");
  const folder = await mkdtemp(join(tmpdir(), "parley-"));
  const workers = new Workers(() => cluster.fork(), folder, timerMs(restartDelayMs), onWorkerLost);
  const close = async () => {
    await workers.close(shutdownGraceMs);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(Array.from({ length: count }, () => workers.start()));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get pids() {
      return workers.pids;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

class Workers {
  readonly #fork: () => Worker;
  readonly #joined: WorkerMessage;
  readonly #restartDelayMs: number;
  readonly #onLost: ((pid: number) => void) | undefined;
  readonly #running = new Set<Worker>();
  readonly #restarts = new Set<ReturnType<typeof setTimeout>>();
  #isClosing = false;

  constructor(fork: () => Worker, folder: string, restartDelayMs: number, onLost: ((pid: number) => void) | undefined) {
    const stateKey = Buffer.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES))).toString("base64");
    this.#fork = fork;
    this.#joined = { parley: "joined", stateKey, folder };
    this.#restartDelayMs = restartDelayMs;
    this.#onLost = onLost;
  }

  get pids(): number[] {
    // A process that was started has an id.
    return [...this.#running].map(({ process: { pid } }) => pid as number);
  }

  /** Resolves once the worker listens. Rejects if it ends before. */
  start(): Promise<void> {
    const worker = this.#fork();
    this.#running.add(worker);
    worker.on("message", (received) => this.#received(worker, received));
    // The channel of a worker that ends may be closed already.
    worker.on("error", () => undefined);
    return new Promise((resolve, reject) => {
      let hasListened = false;
      worker.once("listening", () => {
        hasListened = true;
        resolve();
      });
      worker.once("exit", () => {
        this.#running.delete(worker);
        reject(new SdkError("handler-failed", "A worker ended before it listened"));
        if (hasListened) this.#replace(worker);
      });
    });
  }

  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    const running = [...this.#running];
    const ended = Promise.all(running.map((worker) => new Promise((resolve) => worker.once("exit", resolve))));
    for (const worker of running) worker.process.kill("SIGTERM");
    await withTimeout(ended, graceMs, () => {
      for (const worker of running) worker.process.kill("SIGKILL");
    });
    await ended;
  }

  #received(worker: Worker, received: unknown): void {
    const message = workerMessageIn(received);
    if (message?.parley === "join") worker.send(this.#joined);
    // To its sender as well, so that all workers hear changes in one order.
    if (message?.parley === "change") for (const each of this.#running) each.send(message);
  }

  #replace({ process: { pid } }: Worker): void {
    if (!this.#isClosing) this.#onLost?.(pid as number);
    this.#restartLater();
  }

  #restartLater(): void {
    if (this.#isClosing) return;
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      // A replacement that ends before it listens is replaced as well.
      this.start().catch(() => this.#restartLater());
    }, this.#restartDelayMs);
    this.#restarts.add(timer);
  }
}
