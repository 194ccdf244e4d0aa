/**
 * Tasks that a client of 2025-11-25 runs for its server: `elicitation/create` and `sampling/createMessage` with the param `task`, and
 * the methods that the server reads them with. The client's handlers answer, as they do without a task.
 */
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import type { ClientCapabilities, ClientTasksCapability } from "../protocol/capabilities.js";
import type { ErrorCallback } from "../runtime/error-callback.js";
import type { JsonObject } from "../runtime/json.js";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import { legacyCancellation, legacyOutcome, legacyTask, listedTask, requestedTtl } from "./legacy-task-messages.js";
import { TaskEngine } from "./task-engine.js";

/** Limits of the tasks that a client runs for its server. */
export interface ClientTaskOptions {
  /** Tasks that are kept at the same time. @defaultValue 64 */
  readonly maxTasks?: number | undefined;
  /** Bytes that are kept of all tasks. @defaultValue 16_777_216 */
  readonly maxBytes?: number | undefined;
  /** Milliseconds that a task is kept if the server asks for nothing else. @defaultValue 3_600_000 */
  readonly defaultTtlMs?: number | undefined;
  /** Milliseconds that a task is kept at most. @defaultValue 86_400_000 */
  readonly maxTtlMs?: number | undefined;
  /** Milliseconds that the server should wait between two polls. @defaultValue 1_000 */
  readonly pollIntervalMs?: number | undefined;
}

const OPTIONS: OptionTable<ClientTaskOptions> = {
  maxTasks: true,
  maxBytes: true,
  defaultTtlMs: true,
  maxTtlMs: true,
  pollIntervalMs: true,
};

/** A method of 2025-11-25 with which a server reads the tasks of its client. */
type TaskMethod = "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/list";

/**
 * Lets a client run the server's questions as tasks, for its option `tasks`. Each client has tasks of its own.
 *
 * @throws {SdkError} `invalid-argument` for an unknown option
 * @example
 * const elicit = () => ({ action: "decline" as const });
 * const client = new Client({ name: "cli", version: "1.0.0", elicit, tasks: receiveTasks() });
 */
export function receiveTasks(options: ClientTaskOptions = {}): (onError: ErrorCallback) => ClientTasks {
  checkOptions("receiveTasks", options, OPTIONS);
  return (onError) => new ClientTasks(options, onError);
}

/** The tasks that a client runs for its server. `receiveTasks` makes one. */
export class ClientTasks {
  readonly #engine: TaskEngine;

  /** @throws {SdkError} `invalid-argument` for a limit that is no number from 1. @internal */
  constructor({ maxTasks = 64, maxBytes = 16_777_216, ...limits }: ClientTaskOptions, onError: ErrorCallback) {
    // A client has one server, so there is one principal.
    const store = new InMemoryTaskStore({
      maxTasks,
      maxTasksPerPrincipal: maxTasks,
      maxBytes,
      maxBytesPerPrincipal: maxBytes,
    });
    this.#engine = new TaskEngine({ ...limits, store, maxWaiters: maxTasks, maxRunning: maxTasks, onError });
  }

  /** The capability of a client with these others. @internal */
  capability({ elicitation, sampling }: ClientCapabilities): ClientTasksCapability {
    return {
      list: {},
      cancel: {},
      requests: {
        ...(elicitation && { elicitation: { create: {} } }),
        ...(sampling && { sampling: { createMessage: {} } }),
      },
    };
  }

  /** Runs a question as a task, and answers it with the task. @throws {ProtocolError} 429 for too many tasks. @internal */
  async start(
    method: string,
    params: JsonObject,
    answer: (signal: AbortSignal) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const creation = { principal: undefined, method, params, mayRerun: false, ttlMs: requestedTtl(params) };
    return { task: legacyTask(await this.#engine.create(creation, ({ signal }) => answer(signal))) };
  }

  /** Serves a method of tasks. @internal */
  async serve(method: TaskMethod, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const taskId = String(params.taskId);
    if (method === "tasks/get") return legacyTask(await this.#engine.get(taskId, undefined));
    if (method === "tasks/result") return legacyOutcome(await this.#engine.finished(taskId, undefined, signal));
    if (method === "tasks/cancel") return legacyCancellation(await this.#engine.cancel(taskId, undefined));
    const { tasks, nextCursor } = await this.#engine.list(undefined, params.cursor as string | undefined);
    return { tasks: tasks.map(listedTask), ...(nextCursor !== undefined && { nextCursor }) };
  }

  /** Aborts the handlers that run. @internal */
  close(): Promise<void> {
    return this.#engine.close();
  }
}
