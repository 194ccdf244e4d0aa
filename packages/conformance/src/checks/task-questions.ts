/** Tasks of the extension that ask their client, before they begin and while they run, and the header that names a task. */
import { ASKABLE, cannedAnswer } from "../judge/canned-answers.js";
import type { ActiveCheck } from "../judge/check.js";
import { notObserved, show, want, wantError, wantResult } from "../judge/expectations.js";
import type { AllowedCall } from "../judge/offer.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, describeAnswer, resultOf } from "../target/answer.js";
import { CLIENT_CAPABILITIES_KEY, TASKS_EXTENSION } from "../target/envelope.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";

/** Answers to questions of a task. */
interface Answered {
  readonly update: Answer;
  readonly keys: readonly string[];
  /** The task after them. Undefined if no look at it decides anything. */
  readonly after: JsonObject | undefined;
}

/** A task that was followed until it asked or ended, and what became of the answers to its questions. */
interface FollowedTask {
  readonly name: string;
  /** The questions before the task, which are rounds of the call. */
  readonly rounds: readonly JsonObject[];
  /** The answer to the call. */
  readonly task: JsonObject;
  /** What tasks/get said when the task waited for its client. */
  readonly asking: JsonObject | undefined;
  /** The answer to one of several questions. */
  readonly partly: Answered | undefined;
  /** The answers to all questions. */
  readonly wholly: Answered | undefined;
}

type Facts = Pick<ActiveCheck, "id" | "requirement" | "title" | "mend">;

const ASKING = "input_required";
const MAX_ROUNDS = 4;
/** How many times longer than other answers a task may take to do as the checker wants. */
const TASK_FACTOR = 4;
/** The least wait between two looks at a task. */
const MIN_POLL_MS = 10;
/** The wait of a task without `pollIntervalMs`. */
const POLL_MS = 250;

/** The metadata of a client that runs calls as tasks, and can be asked anything. */
export const TASK_CLIENT: JsonObject = {
  [CLIENT_CAPABILITIES_KEY]: { ...ASKABLE, extensions: { [TASKS_EXTENSION]: {} } },
};

function taskParams({ name, arguments: args }: AllowedCall): JsonObject {
  return { name, arguments: args, _meta: TASK_CLIENT };
}

/** Makes a call that may become a task, once in a revision. */
export function callAsTask(probe: Probe, call: AllowedCall): Promise<Answer> {
  return probe.askOnce("tools/call", taskParams(call));
}

/** The task that each allowed call becomes. */
async function tasksOf(probe: Probe): Promise<readonly FollowedTask[]> {
  const found = await probe.once("followed tasks", () => followAll(probe));
  if (found.length === 0) notObserved("no allowed call becomes a task; use --call or --fixture");
  return found;
}

async function followAll(probe: Probe): Promise<FollowedTask[]> {
  const tasks: FollowedTask[] = [];
  for (const call of probe.offer.calls) {
    const task = await follow(probe, call);
    if (task) tasks.push(task);
  }
  return tasks;
}

async function follow(probe: Probe, call: AllowedCall): Promise<FollowedTask | undefined> {
  const { name } = call;
  const rounds: JsonObject[] = [];
  let result = resultOf(await callAsTask(probe, call));
  while (result?.resultType === ASKING && rounds.length < MAX_ROUNDS) {
    rounds.push(result);
    const state = result.requestState === undefined ? {} : { requestState: result.requestState };
    const answers = { inputResponses: answersTo(result), ...state };
    result = resultOf(await probe.ask("tools/call", { ...taskParams(call), ...answers }));
  }
  if (result?.resultType !== "task") return undefined;
  const task = result;
  const taskId = String(task.taskId);
  const asking = await look(probe, taskId, ({ status }) => status !== "working");
  if (asking?.status !== ASKING) return { name, rounds, task, asking: undefined, partly: undefined, wholly: undefined };
  const [first, ...others] = Object.keys(answersTo(asking));
  const isPartly = first !== undefined && others.length > 0;
  const partly = isPartly ? await answer(probe, taskId, asking, [first]) : undefined;
  const open = partly?.after ?? asking;
  const wholly = first === undefined ? undefined : await answer(probe, taskId, open, Object.keys(answersTo(open)));
  await probe.ask("tasks/cancel", { taskId, _meta: TASK_CLIENT });
  return { name, rounds, task, asking, partly, wholly };
}

function answersTo({ inputRequests }: JsonObject): JsonObject {
  const questions = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  return Object.fromEntries(
    questions.map(([key, question]) => [key, cannedAnswer(isObject(question) ? question : {})]),
  );
}

/** Whether a task no longer waits for the answers to these questions. */
function hasHeard(task: JsonObject, keys: readonly string[]): boolean {
  const open = Object.keys(answersTo(task));
  return !keys.some((key) => open.includes(key)) && (task.status !== ASKING || open.length > 0);
}

/** Answers some questions of a task, and waits until it goes on. */
async function answer(probe: Probe, taskId: string, asking: JsonObject, keys: readonly string[]): Promise<Answered> {
  const inputResponses = Object.fromEntries(Object.entries(answersTo(asking)).filter(([key]) => keys.includes(key)));
  const update = await probe.ask("tasks/update", { taskId, inputResponses, _meta: TASK_CLIENT });
  return { update, keys, after: await look(probe, taskId, (task) => hasHeard(task, keys)) };
}

/**
 * Looks at a task until it is as wanted, or has had its time. Only waits count: a replay makes as many looks as its recording.
 * Undefined if the task has no time for a second look.
 */
async function look(
  probe: Probe,
  taskId: string,
  isWanted: (task: JsonObject) => boolean,
): Promise<JsonObject | undefined> {
  let waitedMs = 0;
  while (true) {
    const task = resultOf(await probe.ask("tasks/get", { taskId, _meta: TASK_CLIENT }));
    if (task === undefined || isWanted(task)) return task;
    const { pollIntervalMs } = task;
    const usualMs = Math.min(POLL_MS, probe.timeoutMs);
    const waitMs = typeof pollIntervalMs === "number" ? Math.max(pollIntervalMs, MIN_POLL_MS) : usualMs;
    if (waitedMs + waitMs > TASK_FACTOR * probe.timeoutMs) return waitedMs > 0 ? task : undefined;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitedMs += waitMs;
  }
}

/** The tasks that waited for their client. */
async function askingTasks(probe: Probe): Promise<(FollowedTask & { readonly asking: JsonObject })[]> {
  const found = (await tasksOf(probe)).flatMap((task) => (task.asking ? [{ ...task, asking: task.asking }] : []));
  return found.length > 0 ? found : notObserved("no task of an allowed call asks its client");
}

type Extension = (facts: Facts, run: ActiveCheck["run"]) => ActiveCheck;

/** @param extension makes a check of servers that declare the extension. */
export function taskQuestionChecks(extension: Extension): ActiveCheck[] {
  return [
    extension(
      {
        id: "task-questions",
        requirement: "tasks:extension:questions",
        title: "A task that waits for its client has questions by key, each with a method.",
        mend: "Return inputRequests from tasks/get while the status is input_required.",
      },
      async (probe) => {
        for (const { name, asking } of await askingTasks(probe)) {
          const questions = isObject(asking.inputRequests) ? Object.values(asking.inputRequests) : [];
          const isRight = questions.every((question) => isObject(question) && typeof question.method === "string");
          want(questions.length > 0 && isRight, "inputRequests", `${show(asking.inputRequests)} from ${name}`);
        }
      },
    ),
    extension(
      {
        id: "task-answers-acknowledged",
        requirement: "tasks:extension:questions",
        title: "The answers to a task are acknowledged with an empty result.",
        mend: 'Answer tasks/update with {"resultType": "complete"}. The client asks for the task by tasks/get.',
      },
      async (probe) => {
        const updates = (await askingTasks(probe)).flatMap(({ wholly }) => (wholly ? [wholly.update] : []));
        if (updates.length === 0) notObserved("no question of a task was answered");
        for (const update of updates) {
          const result = wantResult(update);
          const extra = Object.keys(result).filter((key) => key !== "_meta" && key !== "resultType");
          want(result.resultType === "complete" && extra.length === 0, "an empty result", describeAnswer(update));
        }
      },
    ),
    extension(
      {
        id: "task-answers-partly",
        requirement: "tasks:extension:questions",
        title: "A task with one of several answers still has the other questions, and no longer the answered one.",
        mend: "Keep the task in input_required until every question has its answer.",
      },
      async (probe) => {
        let seen = 0;
        for (const { asking, partly } of await askingTasks(probe)) {
          if (!partly?.after) continue;
          seen += 1;
          wantResult(partly.update);
          const others = Object.keys(answersTo(asking)).filter((key) => !partly.keys.includes(key));
          const open = Object.keys(answersTo(partly.after));
          const isRight = partly.after.status === ASKING && others.every((key) => open.includes(key));
          want(
            isRight && !partly.keys.some((key) => open.includes(key)),
            `the questions ${show(others)}`,
            partly.after,
          );
        }
        if (seen === 0) notObserved("no task was seen between the answers to two questions");
      },
    ),
    extension(
      {
        id: "task-resumes",
        requirement: "tasks:extension:questions",
        title: "A task goes on when its questions are answered.",
        mend: "Hand the answers of tasks/update to the work of the task. If it is only slow, --timeout 30000 waits longer.",
      },
      async (probe) => {
        let seen = 0;
        for (const { wholly } of await askingTasks(probe)) {
          if (!wholly?.after) continue;
          seen += 1;
          want(hasHeard(wholly.after, wholly.keys), "a task that goes on", wholly.after);
        }
        if (seen === 0) notObserved("no task was seen after its answers");
      },
    ),
    extension(
      {
        id: "task-after-rounds",
        requirement: "tasks:extension:starts-later",
        title: "The questions before a task are no part of it: a round has no taskId, and a new task no requestState.",
        mend: "Return the task alone once the questions before it are answered.",
      },
      async (probe) => {
        const later = (await tasksOf(probe)).filter(({ rounds }) => rounds.length > 0);
        if (later.length === 0) notObserved("no allowed call asks its client and then becomes a task");
        for (const { rounds, task } of later) {
          const early = rounds.find((round) => "taskId" in round);
          want(early === undefined, "rounds without taskId", early);
          want(!("requestState" in task) && !("inputRequests" in task), "the task alone", task);
        }
      },
    ),
    ...[
      { id: "header-name-missing-task", what: "A tasks/get without Mcp-Name", header: undefined },
      { id: "header-name-differs-task", what: "A tasks/get whose Mcp-Name is another task", header: "parley-check" },
    ].map(
      ({ id, what, header }): ActiveCheck => ({
        ...extension(
          {
            id,
            requirement: "custom-methods:mirrors:compared",
            title: `${what} is refused with -32020.`,
            mend: "Compare Mcp-Name with params.taskId in the methods of tasks.",
          },
          async (probe) => {
            const [first] = await tasksOf(probe);
            const params = { taskId: first?.task.taskId, _meta: TASK_CLIENT };
            wantError(await probe.ask("tasks/get", params, { headers: { "Mcp-Name": header } }), -32020);
          },
        ),
        over: "http",
      }),
    ),
  ];
}
