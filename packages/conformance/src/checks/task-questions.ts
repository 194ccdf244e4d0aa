/** Tasks of the extension that ask their client, before they begin and while they run, and the header that names a task. */
import { ASKABLE, cannedAnswer } from "../judge/canned-answers.js";
import type { ActiveCheck } from "../judge/check.js";
import { notObserved, show, want, wantError, wantResult } from "../judge/expectations.js";
import type { AllowedCall } from "../judge/offer.js";
import type { Probe } from "../judge/probe.js";
import { type Answer, describeAnswer, resultOf } from "../target/answer.js";
import { CLIENT_CAPABILITIES_KEY, TASKS_EXTENSION } from "../target/envelope.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";

/** A task that was followed until it asked or ended, and what became of the answers to its questions. */
interface FollowedTask {
  readonly name: string;
  /** The questions before the task, which are rounds of the call. */
  readonly rounds: readonly JsonObject[];
  /** The answer to the call. */
  readonly task: JsonObject;
  /** What tasks/get said when the task waited for its client. */
  readonly asking: JsonObject | undefined;
  /** The answer to one of several questions, the key of that question, and the task after it. */
  readonly partly: { readonly update: Answer; readonly key: string; readonly after: JsonObject } | undefined;
  /** The answers to all questions, and the task after them. */
  readonly wholly: { readonly update: Answer; readonly after: JsonObject } | undefined;
}

type Facts = Pick<ActiveCheck, "id" | "requirement" | "title" | "mend">;

const ASKING = "input_required";
const MAX_ROUNDS = 4;
/** How often a task is looked at before it is left alone, and how long the checker waits in between. */
const MAX_LOOKS = 20;
const MAX_WAIT_MS = 250;

const META: JsonObject = {
  [CLIENT_CAPABILITIES_KEY]: { ...ASKABLE, extensions: { [TASKS_EXTENSION]: {} } },
};

const followed = new WeakMap<Probe, Promise<readonly FollowedTask[]>>();

/** The task that each allowed call becomes for a client that can be asked anything. Each call is made once. */
async function tasksOf(probe: Probe): Promise<readonly FollowedTask[]> {
  const made = followed.get(probe) ?? followAll(probe);
  followed.set(probe, made);
  const found = await made;
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

async function follow(probe: Probe, { name, arguments: args }: AllowedCall): Promise<FollowedTask | undefined> {
  const rounds: JsonObject[] = [];
  const params = { name, arguments: args, _meta: META };
  let result = resultOf(await probe.ask("tools/call", params));
  while (result?.resultType === ASKING && rounds.length < MAX_ROUNDS) {
    rounds.push(result);
    const state = result.requestState === undefined ? {} : { requestState: result.requestState };
    result = resultOf(await probe.ask("tools/call", { ...params, inputResponses: answersTo(result), ...state }));
  }
  if (result?.resultType !== "task") return undefined;
  const task = result;
  const taskId = String(task.taskId);
  const asking = await look(probe, taskId, ({ status }) => status !== "working");
  if (asking?.status !== ASKING) return { name, rounds, task, asking: undefined, partly: undefined, wholly: undefined };
  const [first, ...others] = Object.keys(answersTo(asking));
  const partly =
    first !== undefined && others.length > 0
      ? { key: first, ...(await answer(probe, taskId, asking, [first])) }
      : undefined;
  const open = partly?.after ?? asking;
  const wholly = first === undefined ? undefined : await answer(probe, taskId, open, Object.keys(answersTo(open)));
  await probe.ask("tasks/cancel", { taskId, _meta: META });
  return { name, rounds, task, asking, partly, wholly };
}

function answersTo({ inputRequests }: JsonObject): JsonObject {
  const questions = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  return Object.fromEntries(
    questions.map(([key, question]) => [key, cannedAnswer(isObject(question) ? question : {})]),
  );
}

/** Answers some questions of a task, and waits until they are gone. */
async function answer(
  probe: Probe,
  taskId: string,
  asking: JsonObject,
  keys: readonly string[],
): Promise<{ update: Answer; after: JsonObject }> {
  const inputResponses = Object.fromEntries(Object.entries(answersTo(asking)).filter(([key]) => keys.includes(key)));
  const update = await probe.ask("tasks/update", { taskId, inputResponses, _meta: META });
  const isHeard = (task: JsonObject) => keys.every((key) => !(key in answersTo(task)));
  return { update, after: (await look(probe, taskId, isHeard)) ?? {} };
}

/** Looks at a task until it is as wanted, or often enough. */
async function look(
  probe: Probe,
  taskId: string,
  isWanted: (task: JsonObject) => boolean,
): Promise<JsonObject | undefined> {
  let task: JsonObject | undefined;
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    task = resultOf(await probe.ask("tasks/get", { taskId, _meta: META }));
    if (task === undefined || isWanted(task)) return task;
    const { pollIntervalMs } = task;
    const waitMs = Math.min(typeof pollIntervalMs === "number" ? pollIntervalMs : MAX_WAIT_MS, MAX_WAIT_MS);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  return task;
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
          if (!partly) continue;
          seen += 1;
          wantResult(partly.update);
          const others = Object.keys(answersTo(asking)).filter((key) => key !== partly.key);
          const open = Object.keys(answersTo(partly.after));
          const isRight = partly.after.status === ASKING && others.every((key) => open.includes(key));
          want(isRight && !open.includes(partly.key), `the questions ${show(others)}`, partly.after);
        }
        if (seen === 0) notObserved("no task of an allowed call has several questions at once");
      },
    ),
    extension(
      {
        id: "task-resumes",
        requirement: "tasks:extension:questions",
        title: "A task goes on when its questions are answered.",
        mend: "Hand the answers of tasks/update to the work of the task.",
      },
      async (probe) => {
        const ended = (await askingTasks(probe)).flatMap(({ wholly }) => (wholly ? [wholly.after] : []));
        if (ended.length === 0) notObserved("no question of a task was answered");
        const stuck = ended.find(({ status, inputRequests }) => status === ASKING && isObject(inputRequests));
        want(stuck === undefined, "a task that goes on", stuck);
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
            const params = { taskId: first?.task.taskId, _meta: META };
            wantError(await probe.ask("tasks/get", params, { headers: { "Mcp-Name": header } }), -32020);
          },
        ),
        over: "http",
      }),
    ),
  ];
}
