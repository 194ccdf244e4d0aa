/** Tasks of 2025-11-25, and those of the modern extension. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import { notApplicable, notObserved, show, want, wantError, wantResult } from "../judge/expectations.js";
import type { AllowedCall } from "../judge/offer.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, describeAnswer, resultOf } from "../target/answer.js";
import { TASKS_EXTENSION } from "../target/envelope.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { callAsTask, TASK_CLIENT, taskQuestionChecks } from "./task-questions.js";

const NO_TASK = "parley-check-no-such-task";
const STATUSES = ["working", "input_required", "completed", "failed", "cancelled"];
const TERMINAL = ["completed", "failed", "cancelled"];
const TTL_MS = 60_000;

/** How long the result of a task is waited for. */
const RESULT_MS = 10_000;

function assertLegacyTasks(probe: Probe): JsonObject {
  const { tasks } = probe.offer.capabilities;
  return isObject(tasks) ? tasks : notApplicable("the server declares no tasks");
}

function assertExtension(probe: Probe): void {
  const { extensions } = probe.offer.capabilities;
  if (!isObject(extensions) || !isObject(extensions[TASKS_EXTENSION])) notApplicable("the server declares no tasks");
}

/** Whether a tool runs as a task, as tools/list of 2025-11-25 says it. */
function supportOf({ tool }: AllowedCall): unknown {
  return isObject(tool?.execution) ? tool.execution.taskSupport : undefined;
}

function paramsOf({ name, arguments: args }: AllowedCall): JsonObject {
  return { name, arguments: args };
}

/** The answer to a call that asks to run as a task. One task serves all checks. */
async function started(probe: Probe): Promise<{ task: JsonObject; taskId: string }> {
  assertLegacyTasks(probe);
  const call = probe.offer.calls.find((candidate) => ["optional", "required"].includes(String(supportOf(candidate))));
  if (!call) notObserved("no allowed call runs as a task; use --call or --fixture");
  const answer = await probe.askOnce("tools/call", { ...paramsOf(call), task: { ttl: TTL_MS } });
  const task = wantResult(answer).task;
  want(isObject(task) && typeof task.taskId === "string", "a task with a taskId", describeAnswer(answer));
  return { task, taskId: String(task.taskId) };
}

function legacy(
  facts: Pick<ActiveCheck, "id" | "requirement" | "title" | "mend">,
  run: ActiveCheck["run"],
): ActiveCheck {
  return { ...facts, revisions: ["2025-11-25"], run };
}

function extension(
  facts: Pick<ActiveCheck, "id" | "requirement" | "title" | "mend">,
  run: ActiveCheck["run"],
): ActiveCheck {
  return {
    ...facts,
    revisions: ["2026-07-28"],
    async run(probe) {
      assertExtension(probe);
      await run(probe);
    },
  };
}

/** A method of tasks, by a client that declares the extension. */
function askModern(probe: Probe, method: string, taskId: string): Promise<Answer> {
  const answers = method === "tasks/update" ? { inputResponses: {} } : {};
  return probe.ask(method, { taskId, ...answers, _meta: TASK_CLIENT });
}

/** The task that an allowed call becomes for a client with the extension. */
async function created(probe: Probe): Promise<JsonObject> {
  for (const call of probe.offer.calls) {
    const result = resultOf(await callAsTask(probe, call));
    if (result?.resultType === "task") return result;
  }
  return notObserved("no allowed call becomes a task; use --call or --fixture");
}

export const tasks: CheckArea = {
  area: "tasks",
  checks: [
    legacy(
      {
        id: "task-created",
        requirement: "tasks:create:via-tool-call",
        title: "A call with task is answered with a task that has an id, a status and a time.",
        mend: "Return task with taskId, status and createdAt.",
      },
      async (probe) => {
        const { task } = await started(probe);
        const isWhole = STATUSES.includes(String(task.status)) && !Number.isNaN(Date.parse(String(task.createdAt)));
        want(isWhole, "status and createdAt", task);
      },
    ),
    legacy(
      {
        id: "task-ttl",
        requirement: "tasks:create:ttl-honored",
        title: "A task says for how long it is kept.",
        mend: "Return ttl as a number of milliseconds, or null.",
      },
      async (probe) => {
        const { ttl } = (await started(probe)).task;
        want(ttl === null || (typeof ttl === "number" && ttl >= 0), "a number or null as ttl", show(ttl));
      },
    ),
    legacy(
      {
        id: "task-get",
        requirement: "tasks:get:status",
        title: "tasks/get returns the task with its id and status.",
        mend: "Return the members of the task from tasks/get.",
      },
      async (probe) => {
        const { taskId } = await started(probe);
        const result = wantResult(await probe.ask("tasks/get", { taskId }));
        want(result.taskId === taskId && STATUSES.includes(String(result.status)), "the task", result);
      },
    ),
    legacy(
      {
        id: "task-result",
        requirement: "tasks:result:terminal",
        title: "tasks/result waits for the end of the task and returns the result of the call.",
        mend: "Answer tasks/result with the result of the tool once the task has ended.",
      },
      async (probe) => {
        const { taskId } = await started(probe);
        const answer = await probe.ask("tasks/result", { taskId }, { timeoutMs: RESULT_MS });
        want(Array.isArray(wantResult(answer).content), "the result of the call", describeAnswer(answer));
        const { status } = wantResult(await probe.ask("tasks/get", { taskId }));
        want(TERMINAL.includes(String(status)), "a task that has ended", status);
      },
    ),
    legacy(
      {
        id: "task-cancel-ended",
        requirement: "tasks:cancel:terminal-rejected",
        title: "A task that has ended cannot be cancelled: -32602.",
        mend: "Answer tasks/cancel of a finished task with -32602.",
      },
      async (probe) => {
        const { cancel } = assertLegacyTasks(probe);
        if (cancel === undefined) notApplicable("the server does not declare tasks.cancel");
        const { taskId } = await started(probe);
        await probe.ask("tasks/result", { taskId }, { timeoutMs: RESULT_MS });
        wantError(await probe.ask("tasks/cancel", { taskId }), -32602);
      },
    ),
    ...["tasks/get", "tasks/result", "tasks/cancel"].map((method) =>
      legacy(
        {
          id: `task-unknown-${method.slice("tasks/".length)}`,
          requirement: "tasks:unknown-id:legacy",
          title: `${method} with an unknown id is answered with -32602.`,
          mend: "Answer ids of no task with -32602.",
        },
        async (probe) => {
          const declared = assertLegacyTasks(probe);
          if (method === "tasks/cancel" && declared.cancel === undefined)
            notApplicable("the server does not declare tasks.cancel");
          wantError(await probe.ask(method, { taskId: NO_TASK }), -32602);
        },
      ),
    ),
    legacy(
      {
        id: "task-list-cursor",
        requirement: "tasks:list:pagination",
        title: "tasks/list refuses an unknown cursor with -32602.",
        mend: "Answer cursors that the server did not hand out with -32602.",
      },
      async (probe) => {
        if (assertLegacyTasks(probe).list === undefined) notApplicable("the server does not declare tasks.list");
        wantError(await probe.ask("tasks/list", { cursor: "parley-check-no-such-cursor" }), -32602);
      },
    ),
    legacy(
      {
        id: "task-required",
        requirement: "tasks:tool-level:required-no-task-32601",
        title: "A tool that needs a task refuses a call without one with -32601.",
        mend: "Answer a call without task with -32601 if taskSupport is required.",
      },
      async (probe) => {
        assertLegacyTasks(probe);
        const call = probe.offer.calls.find((candidate) => supportOf(candidate) === "required");
        if (!call) notObserved("no allowed tool needs a task");
        wantError(await probe.ask("tools/call", paramsOf(call)), -32601);
      },
    ),
    legacy(
      {
        id: "task-forbidden",
        requirement: "tasks:tool-level:forbidden-with-task-32601",
        title: "A tool that does not run as a task refuses a call with one with -32601.",
        mend: "Answer a call with task with -32601 if taskSupport is absent or forbidden.",
      },
      async (probe) => {
        assertLegacyTasks(probe);
        const call = probe.offer.calls.find((candidate) => (supportOf(candidate) ?? "forbidden") === "forbidden");
        if (!call) notObserved("every allowed tool runs as a task");
        wantError(await probe.ask("tools/call", { ...paramsOf(call), task: { ttl: TTL_MS } }), -32601);
      },
    ),
    extension(
      {
        id: "task-flat",
        requirement: "tasks:extension:created",
        title: "A call that becomes a task is answered with the flat task.",
        mend: "Return taskId, status, createdAt, lastUpdatedAt and ttlMs beside resultType.",
      },
      async (probe) => {
        const task = await created(probe);
        const lacking = ["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"].find((name) => !(name in task));
        const extra = ["task", "ttl", "pollInterval", "result", "error"].find((name) => name in task);
        want(lacking === undefined && extra === undefined, "a flat task", show(lacking ?? extra));
      },
    ),
    extension(
      {
        id: "task-found",
        requirement: "tasks:extension:created",
        title: "tasks/get finds a task as soon as the call has been answered.",
        mend: "Store a task before the call is answered.",
      },
      async (probe) => {
        const { taskId } = await created(probe);
        const result = wantResult(await askModern(probe, "tasks/get", String(taskId)));
        want(result.taskId === taskId && STATUSES.includes(String(result.status)), "the task", result);
      },
    ),
    ...["tasks/get", "tasks/update", "tasks/cancel"].map((method) =>
      extension(
        {
          id: `task-extension-unknown-${method.slice("tasks/".length)}`,
          requirement: "tasks:extension:unknown-id",
          title: `${method} of the extension with an unknown id is answered with -32602.`,
          mend: "Answer ids of no task with -32602.",
        },
        async (probe) => {
          wantError(await askModern(probe, method, NO_TASK), -32602);
        },
      ),
    ),
    extension(
      {
        id: "task-extension-gated",
        requirement: "tasks:extension:gated",
        title: "A client that does not declare the extension gets -32021 from tasks/get.",
        mend: "Read the declared extensions of each request.",
      },
      async (probe) => {
        wantError(await probe.ask("tasks/get", { taskId: NO_TASK }), -32021);
      },
    ),
    ...taskQuestionChecks(extension),
  ],
};
