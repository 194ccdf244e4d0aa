/** Handles of tasks on the client: a tool is started, and its result is awaited later, perhaps by another process. */
import type { RequestOptions } from "../../dispatch/dispatcher.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { Revision } from "../../protocol/revisions.js";
import type { CallToolResult } from "../../protocol/tools.js";
import type { Extension } from "../../routing/extension.js";
import type { MethodDefinition } from "../../routing/method-definition.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import type { JsonSchema } from "../../schema/schema.js";
import { isTerminal } from "../task-record.js";
import { legacyTaskIn } from "./legacy-task-calls.js";
import { repeatPoll } from "./poll-retries.js";
import type { TaskState } from "./task-messages.js";
import { cancelTask, getTask } from "./task-methods.js";
import { tasks } from "./tasks-extension.js";

/** The part of a `Client` that task handles use. */
export interface TaskClient {
  readonly revision: Revision;
  declares(extension: Extension): boolean;
  startCall(method: string, params: JsonObject, options?: TaskOptions): Promise<JsonObject>;
  resumeCall(method: string, params: JsonObject, result: JsonObject, options?: TaskOptions): Promise<JsonObject>;
  request(method: string, params: JsonObject, options?: TaskOptions): Promise<JsonObject>;
  request(
    method: MethodDefinition<JsonSchema, JsonSchema>,
    params: JsonObject,
    options?: TaskOptions,
  ): Promise<JsonObject>;
}

/** Options of one step of a task. `onProgress` gets the status messages of the task. */
export type TaskOptions = Pick<RequestOptions, "signal" | "timeoutMs" | "onProgress">;

/** Options of `startTool`. */
export interface StartToolOptions extends TaskOptions {
  /** Keys to add to the `_meta` of the call. @defaultValue none */
  readonly meta?: JsonObject;
  /** 2025-11-25 only: milliseconds that the server should keep the task. @defaultValue as the server decides */
  readonly ttlMs?: number;
}

/** A handle as plain JSON, for `reopenTask`. */
export interface StoredTask {
  readonly tool: string;
  /** Absent for a tool that answered at once. */
  readonly taskId?: string | undefined;
  /** The result of a tool that answered at once. */
  readonly result?: JsonObject | undefined;
}

/**
 * Starts a tool, and resolves once the server has accepted the call. A tool that answers at once gives a handle that is done.
 * @throws {ProtocolError} for unknown tools and server errors
 * @throws {SdkError} `invalid-argument` for a client without `extensions: [tasks]`
 *
 * @example
 * const handle = await startTool(client, "render", { pages: 3 });
 * const { content } = await handle.result({ onProgress: ({ message }) => console.log(message) });
 */
export async function startTool(
  client: TaskClient,
  tool: string,
  args: JsonObject = {},
  { ttlMs, ...options }: StartToolOptions = {},
): Promise<TaskHandle> {
  requireTasks(client, "startTool");
  const task = client.revision === "2025-11-25" && { task: ttlMs === undefined ? {} : { ttl: ttlMs } };
  const params = { name: tool, arguments: args };
  const answer = await client.startCall("tools/call", { ...params, ...task }, options);
  const created = answer.resultType === "task" ? answer : legacyTaskIn(answer);
  if (created) return new TaskHandle(client, { tool, taskId: String(created.taskId) });
  return new TaskHandle(client, { tool, result: await client.resumeCall("tools/call", params, answer, options) });
}

/**
 * Reopens a stored handle, also with another client of the server. Asks the server nothing.
 * @throws {SdkError} `invalid-argument` for a value that is no stored handle, and for a client without `extensions: [tasks]`
 *
 * @example
 * const handle = reopenTask(client, JSON.parse(await readFile("render.json", "utf8")));
 */
export function reopenTask(client: TaskClient, stored: StoredTask): TaskHandle {
  requireTasks(client, "reopenTask");
  const given: unknown = stored;
  const isStored =
    isJsonObject(given) &&
    typeof given.tool === "string" &&
    (typeof given.taskId === "string" || isJsonObject(given.result));
  if (!isStored) {
    const complaint = "expected the JSON form of a handle, as in { tool, taskId }; store JSON.stringify(handle)";
    throw new SdkError("invalid-argument", `reopenTask: ${complaint}`);
  }
  return new TaskHandle(client, stored);
}

/** A tool that runs as a task. `JSON.stringify(handle)` is its stored form. */
export class TaskHandle {
  readonly tool: string;
  /** The id of the task. Undefined for a tool that answered at once. */
  readonly taskId: string | undefined;
  readonly #client: TaskClient;
  readonly #result: JsonObject | undefined;

  /** @internal */
  constructor(client: TaskClient, { tool, taskId, result }: StoredTask) {
    this.tool = tool;
    this.taskId = taskId;
    this.#client = client;
    this.#result = result;
  }

  /** @throws {ProtocolError} -32602 if the server does not know the task, or has forgotten it. */
  async status(options: TaskOptions = {}): Promise<Pick<TaskState, "status" | "statusMessage">> {
    if (this.taskId === undefined) return { status: "completed" };
    const { status, statusMessage } = await this.#read(this.taskId, options);
    return { status, ...(statusMessage !== undefined && { statusMessage }) };
  }

  /**
   * Waits for the result. The client's handlers answer the questions of the task. Aborting ends the wait, and the task goes on.
   * @throws {ProtocolError} the error of a failed task.
   * @throws {SdkError} `request-aborted` for a cancelled task, `invalid-result` for a stored result that is none of a tool
   */
  async result(options: TaskOptions = {}): Promise<CallToolResult> {
    const { tool: name, taskId } = this;
    const result = taskId === undefined ? await this.#kept(name, options) : await this.#settled(name, taskId, options);
    // The client has checked the result against the shape of its method.
    return result as unknown as CallToolResult;
  }

  /** Asks the server to stop the task. Does nothing for a task that has ended. @throws {ProtocolError} as `status` */
  async cancel(options: TaskOptions = {}): Promise<void> {
    const { taskId } = this;
    if (taskId === undefined) return;
    if (!this.#isLegacy) {
      await this.#client.request(cancelTask, { taskId }, options);
      return;
    }
    try {
      await this.#client.request("tasks/cancel", { taskId }, options);
    } catch (error) {
      // In 2025-11-25 a task that has ended cannot be cancelled.
      if (!isTerminal(await this.#read(taskId, options))) throw error;
    }
  }

  toJSON(): StoredTask {
    const { tool, taskId } = this;
    return taskId === undefined ? { tool, result: this.#result } : { tool, taskId };
  }

  get #isLegacy(): boolean {
    return this.#client.revision === "2025-11-25";
  }

  /** The result of a tool that answered at once. A stored handle may contain any. */
  #kept(name: string, options: TaskOptions): Promise<JsonObject> {
    // `startTool` and `reopenTask` set it if there is no `taskId`.
    return this.#client.resumeCall("tools/call", { name }, this.#result as JsonObject, options);
  }

  async #settled(name: string, taskId: string, options: TaskOptions): Promise<JsonObject> {
    const { signal = new AbortController().signal } = options;
    const task = await repeatPoll(() => this.#read(taskId, options), signal);
    const isLegacy = this.#isLegacy;
    const params = isLegacy ? { name, task: {} } : { name };
    return this.#client.resumeCall(
      "tools/call",
      params,
      isLegacy ? { task } : { ...task, resultType: "task" },
      options,
    );
  }

  async #read(taskId: string, { onProgress: _onProgress, ...options }: TaskOptions): Promise<TaskState & JsonObject> {
    const method = this.#isLegacy ? ("tasks/get" as unknown as typeof getTask) : getTask;
    // The client has checked the task by its shape or schema. Both eras have the members that are read here.
    return (await this.#client.request(method, { taskId }, options)) as TaskState & JsonObject;
  }
}

/** @throws {SdkError} `invalid-argument` */
function requireTasks(client: TaskClient, caller: string): void {
  if (client.declares(tasks)) return;
  throw new SdkError("invalid-argument", `${caller}: the client does not know tasks; give it extensions: [tasks]`);
}
