/** The side of a queue that has tasks run: a `TaskRunner` that stores each task as a job. */
import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { TaskRunner } from "parley-mcp/tasks";
import { checkWhole, connect, queueNames, type TaskJob, type TaskQueueOptions } from "./queue-settings.js";

/** The queue and the limits of a `BullmqTaskRunner`. */
export interface BullmqTaskRunnerOptions extends TaskQueueOptions {
  /** Jobs that wait for a worker. The tasks of further ones fail. @defaultValue 65_536 */
  readonly maxWaitingJobs?: number | undefined;
  /** Reject a command that Redis does not answer for this long. @defaultValue 2_000 */
  readonly commandTimeoutMs?: number | undefined;
}

/** Retries while Redis does not take a job: about six seconds in all. */
const MAX_RETRIES = 6;
const FIRST_DELAY_MS = 100;
/** Events that BullMQ keeps for those who watch the queue. */
const MAX_EVENTS = 1_000;

/**
 * Has tasks run by the workers of a BullMQ queue. `workTasks` is a worker.
 *
 * @example
 * const runner = await BullmqTaskRunner.open("redis://localhost:6379");
 * const server = new McpServer({ name: "studio", version: "1.0.0", tasks: serveTasks({ store, runner }) });
 */
export class BullmqTaskRunner implements TaskRunner, AsyncDisposable {
  /** Jobs outlive the processes that create and run them. */
  readonly recovers = true;
  readonly #redis: Redis;
  readonly #queue: Queue<TaskJob>;
  readonly #maxWaitingJobs: number;

  private constructor(redis: Redis, queue: Queue<TaskJob>, maxWaitingJobs: number) {
    this.#redis = redis;
    this.#queue = queue;
    this.#maxWaitingJobs = maxWaitingJobs;
  }

  /**
   * @throws {SdkError} `connection-closed` if Redis does not answer, `invalid-argument` for options that cannot work
   */
  static async open(url: string, options: BullmqTaskRunnerOptions = {}): Promise<BullmqTaskRunner> {
    const { maxWaitingJobs = 65_536, commandTimeoutMs = 2_000 } = options;
    checkWhole("maxWaitingJobs", maxWaitingJobs, 1);
    checkWhole("commandTimeoutMs", commandTimeoutMs, 1);
    const { name, prefix } = queueNames(options);
    const commands = { enableOfflineQueue: false, commandTimeout: commandTimeoutMs };
    const { redis, report } = await connect(url, commands, options);
    const queue = new Queue<TaskJob>(name, {
      connection: redis,
      prefix,
      streams: { events: { maxLen: MAX_EVENTS } },
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true, stackTraceLimit: 1 },
    });
    queue.on("error", report);
    return new BullmqTaskRunner(redis, queue, maxWaitingJobs);
  }

  /** Adds the job of a task, unless the queue has it. Rejects if Redis does not take it for about six seconds. */
  async start(taskId: string): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#add(taskId);
        return;
      } catch (error) {
        if (attempt === MAX_RETRIES || error instanceof QueueFull) throw error;
        await new Promise((resolve) => setTimeout(resolve, FIRST_DELAY_MS * 2 ** attempt));
      }
    }
  }

  /** Closes the connection. Jobs stay in the queue. */
  async close(): Promise<void> {
    await this.#queue.close();
    this.#redis.disconnect();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #add(taskId: string): Promise<void> {
    const waiting = await this.#queue.getJobCountByTypes("waiting", "delayed");
    if (waiting >= this.#maxWaitingJobs) throw new QueueFull(this.#maxWaitingJobs);
    await this.#queue.add("task", { taskId }, { jobId: `task-${taskId}` });
  }
}

class QueueFull extends Error {
  constructor(max: number) {
    super(`${max} jobs wait for a worker; start more workers, or raise maxWaitingJobs`);
  }
}
