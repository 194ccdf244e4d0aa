/** The side of a queue that runs tasks: takes jobs, and has the server run their tasks. */
import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from "bullmq";
import { type McpServer, SdkError } from "parley-mcp/server";
import {
  checkWhole,
  connect,
  type QueueConnection,
  queueNames,
  type TaskJob,
  type TaskQueueOptions,
} from "./queue-settings.js";

/** Options of `workTasks`. */
export interface WorkTasksOptions extends TaskQueueOptions {
  /** Tasks that this process runs at the same time, those that wait for answers included. @defaultValue 64 */
  readonly concurrency?: number | undefined;
  /** Deliver a job again if its worker has shown no sign of life for this long. @defaultValue 30_000 */
  readonly lockMs?: number | undefined;
  /** The time until a task is tried again that another worker runs, or whose store is not available. @defaultValue 5_000 */
  readonly retryDelayMs?: number | undefined;
  /** Time that `close` gives running tasks to end. Then it leaves them to other workers. @defaultValue 10_000 */
  readonly closeGraceMs?: number | undefined;
}

/** A worker of a queue in this process. */
export interface TaskWorker extends AsyncDisposable {
  /** Takes no more jobs, lets running tasks end for `closeGraceMs`, and leaves the others to other workers. Never rejects. */
  close(): Promise<void>;
}

/** Whether a job may be run again is decided by the record of its task, not by the number of its deliveries. */
const ANY_NUMBER = Number.MAX_SAFE_INTEGER;
const RETRY_FETCH_MS = 1_000;
/** Time for Redis to take back the jobs of a closing worker. */
const GIVE_BACK_MS = 5_000;

/**
 * Runs the tasks of a queue in this process: in an HTTP server, or in a process of its own. The server needs the same tools and the
 * same task store as the server that created the tasks.
 *
 * @throws {SdkError} `connection-closed` if Redis does not answer, `invalid-argument` for options that cannot work
 * @throws the error of the server's `onStart`
 * @example
 * const worker = await workTasks(server, "redis://localhost:6379", { concurrency: 16 });
 */
export async function workTasks(server: McpServer, url: string, options: WorkTasksOptions = {}): Promise<TaskWorker> {
  const settings = settingsOf(options);
  const names = queueNames(options);
  const hold = server.hosting.hold();
  try {
    await hold.started;
    // BullMQ wants its commands to wait for Redis.
    const connection = await connect(url, { maxRetriesPerRequest: null }, options);
    return new QueueWorker(server, connection, { ...settings, ...names, release: () => hold.release() });
  } catch (error) {
    await hold.release();
    throw error;
  }
}

type Settings = ReturnType<typeof settingsOf>;

interface QueueWorkerOptions extends Settings {
  readonly prefix: string;
  readonly name: string;
  release(): Promise<void>;
}

class QueueWorker implements TaskWorker {
  readonly #server: McpServer;
  readonly #connection: QueueConnection;
  readonly #options: QueueWorkerOptions;
  readonly #worker: Worker<TaskJob>;
  readonly #givingBack = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(server: McpServer, connection: QueueConnection, options: QueueWorkerOptions) {
    const { name, prefix, concurrency, lockMs } = options;
    this.#server = server;
    this.#connection = connection;
    this.#options = options;
    this.#worker = new Worker<TaskJob>(name, (job, token) => this.#process(job, token), {
      connection: connection.redis,
      prefix,
      concurrency,
      lockDuration: lockMs,
      stalledInterval: lockMs,
      maxStalledCount: ANY_NUMBER,
      runRetryDelay: RETRY_FETCH_MS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    this.#worker.on("error", connection.report);
    this.#worker.on("failed", (_job, error) => connection.report(error));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #process(job: Job<TaskJob>, token: string | undefined): Promise<void> {
    const { taskId } = job.data;
    if (typeof taskId !== "string") throw new UnrecoverableError(`The job ${job.id} names no task`);
    if (await this.#run(taskId)) return;
    if (this.#givingBack.signal.aborted) {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    await job.moveToDelayed(Date.now() + this.#options.retryDelayMs, token);
    throw new DelayedError();
  }

  /** False if the job must be delivered again. */
  async #run(taskId: string): Promise<boolean> {
    try {
      return await this.#server.runTask(taskId, { signal: this.#givingBack.signal });
    } catch (cause) {
      this.#connection.report(
        new SdkError("handler-failed", `Task ${taskId} could not be run, and is tried again`, { cause }),
      );
      return false;
    }
  }

  async #close(): Promise<void> {
    const { closeGraceMs, release } = this.#options;
    const closed = this.#worker.close();
    await within(closed, closeGraceMs);
    this.#givingBack.abort();
    await within(closed, GIVE_BACK_MS);
    // Later if Redis is away: BullMQ repeats commands of a connection that was closed without a pause.
    void closed.then(() => this.#connection.redis.disconnect());
    await release();
  }
}

function settingsOf(options: WorkTasksOptions) {
  const { concurrency = 64, lockMs = 30_000, retryDelayMs = 5_000, closeGraceMs = 10_000 } = options;
  const limits = { concurrency, lockMs, retryDelayMs };
  for (const [name, value] of Object.entries(limits)) checkWhole(name, value, 1);
  checkWhole("closeGraceMs", closeGraceMs, 0);
  return { ...limits, closeGraceMs };
}

/** Waits until the work is done, but no longer than this. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, deadline]);
  clearTimeout(timer);
}
