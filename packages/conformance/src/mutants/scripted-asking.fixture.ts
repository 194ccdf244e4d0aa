/** The tools of the scripted server that ask their client or run as tasks. */
import { NEWEST_REVISION, type Revision } from "parley-requirements";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { RpcError } from "./rpc-error.fixture.js";
import { QUESTIONS } from "./scripted-content.fixture.js";

/** Whether a guard of the server is on. */
type Guards = (name: string) => boolean;

const PREFIX = "io.modelcontextprotocol/";
export const TASKS: string = `${PREFIX}tasks`;
const TIMES = { createdAt: "2026-07-28T00:00:00Z", lastUpdatedAt: "2026-07-28T00:00:00Z" };

/** One round of the tool `ask`: the questions that are open, or the result. */
export function serveAsk(guards: Guards, params: JsonObject, done: JsonObject): JsonObject {
  const meta = isObject(params._meta) ? params._meta : {};
  const capabilities = meta[`${PREFIX}clientCapabilities`];
  const declared = isObject(capabilities) ? capabilities : {};
  const capabilityOf = ({ method }: JsonObject) => String(method).split("/")[0] ?? "";
  const askable = Object.entries(QUESTIONS).filter(
    ([, question]) => capabilityOf(question) in declared || !guards("round declared"),
  );
  if (askable.length === 0) {
    const data = { requiredCapabilities: { elicitation: {} } };
    throw new RpcError(-32021, "The client lacks elicitation", 400, data);
  }
  if (params.requestState !== undefined && params.requestState !== "round-1" && guards("round state")) {
    throw new RpcError(-32602, "params.requestState is not of this server");
  }
  const answers = isObject(params.inputResponses) ? params.inputResponses : {};
  const malformed = Object.values(answers).some((answer) => !isObject(answer));
  if (malformed && guards("round answers")) throw new RpcError(-32602, "inputResponses must hold objects");
  const extra = Object.keys(answers).find((key) => !(key in QUESTIONS) && Object.keys(answers).length > 1);
  if (extra !== undefined && !guards("round extra")) throw new RpcError(-32602, `Nobody asked ${extra}`);
  const open = askable.filter(([key]) => !(key in answers));
  const isDone = open.length === 0 || (Object.keys(answers).length > 0 && !guards("round missing"));
  if (isDone && guards("round end")) return done;
  const inputRequests = structuredClone(Object.fromEntries(isDone ? askable : open));
  return { resultType: "input_required", inputRequests, requestState: "round-1" };
}

/** The requests of the tool `ask` to a legacy client: those that its capabilities and the revision allow. */
export function legacyQuestions(guards: Guards, capabilities: JsonObject, revision: Revision): JsonObject[] {
  const { elicitation, sampling, roots } = capabilities;
  const modes = isObject(elicitation) ? elicitation : {};
  const hasForms = isObject(elicitation) && ("form" in modes || !("url" in modes) || !guards("question mode form"));
  const hasPages = isObject(elicitation) && ("url" in modes || !guards("question mode url"));
  const hasTools = (isObject(sampling) && "tools" in sampling) || !guards("question tools");
  const { name, greeting, roots: listing } = QUESTIONS;
  const page = { mode: "url", message: "Log in", url: "https://login.example.com/", elicitationId: "login-1" };
  const offered = hasTools && revision === "2025-11-25" ? { tools: [], toolChoice: { mode: "none" } } : {};
  const asked: [boolean, JsonObject | undefined][] = [
    [revision >= "2025-06-18" && (hasForms || !guards("question elicitation")), name],
    [revision === "2025-11-25" && hasPages, { method: "elicitation/create", params: page }],
    [sampling !== undefined || !guards("question sampling"), withParams(greeting, offered)],
    [roots !== undefined || !guards("question roots"), listing],
    [!guards("question kinds"), { method: "clocks/read", params: {} }],
  ];
  return asked.flatMap(([isAsked, question]) => (isAsked && question ? [structuredClone(question)] : []));
}

function withParams(question: JsonObject | undefined, extra: JsonObject): JsonObject {
  return { ...question, params: { ...(isObject(question?.params) ? question.params : {}), ...extra } };
}

/** The open questions of the tasks of the tool `survey`, by task. */
export type Surveys = Map<string, JsonObject>;

/** The tool `survey`: a round for the topic, and then a task that has two questions. */
export function serveSurvey(params: JsonObject, surveys: Surveys): JsonObject | undefined {
  const meta = isObject(params._meta) ? params._meta : {};
  const capabilities = meta[`${PREFIX}clientCapabilities`];
  if (!declaresTasks(params) || !isObject(capabilities) || !("elicitation" in capabilities)) return undefined;
  const { name } = QUESTIONS;
  if (params.inputResponses === undefined)
    return { resultType: "input_required", inputRequests: { topic: structuredClone(name) }, requestState: "survey" };
  const taskId = `survey-${surveys.size + 1}`;
  surveys.set(taskId, structuredClone({ first: name, second: name }));
  return { resultType: "task", taskId, status: "working", ...TIMES, ttlMs: null };
}

/** The methods of tasks, for the task of a survey. */
function serveSurveyTask(guards: Guards, method: string, params: JsonObject, open: JsonObject): JsonObject {
  if (method === "tasks/cancel") return {};
  if (method === "tasks/update") {
    const answers = isObject(params.inputResponses) ? params.inputResponses : {};
    const answered = guards("task questions apart") ? Object.keys(answers) : Object.keys(open);
    const isLast = Object.keys(open).every((key) => answered.includes(key));
    for (const key of isLast && !guards("task resumes") ? [] : answered) delete open[key];
    return {};
  }
  const task = { taskId: params.taskId, ...TIMES, ttlMs: null };
  if (Object.keys(open).length > 0) return { ...task, status: "input_required", inputRequests: structuredClone(open) };
  return { ...task, status: "completed", result: { content: [{ type: "text", text: "done" }] } };
}

/** The methods of tasks. Apart from surveys, the only task is `task-1`, which has ended when it is first asked for. */
export function serveTask(
  guards: Guards,
  method: string,
  params: JsonObject,
  revision: Revision,
  surveys: Surveys,
): JsonObject | undefined {
  const isModern = revision === NEWEST_REVISION;
  if (revision < "2025-11-25" || (isModern && ["tasks/result", "tasks/list"].includes(method))) return undefined;
  if (method === "tasks/update" && !isModern) return undefined;
  if (isModern && !declaresTasks(params) && guards("tasks declared")) {
    throw new RpcError(-32021, "The client lacks tasks", 400, {
      requiredCapabilities: { extensions: { [TASKS]: {} } },
    });
  }
  if (method === "tasks/list") {
    if (params.cursor !== undefined && guards("cursor tasks")) throw new RpcError(-32602, "params.cursor is no cursor");
    return { tasks: [] };
  }
  const survey = surveys.get(String(params.taskId));
  if (survey) return serveSurveyTask(guards, method, params, survey);
  if (params.taskId !== "task-1" && guards(`task id ${method} ${isModern}`)) {
    throw new RpcError(-32602, "params.taskId is no task");
  }
  if (method === "tasks/cancel" && !isModern && guards("task ended")) {
    throw new RpcError(-32602, "The task has ended");
  }
  if (method === "tasks/result") return { content: [{ type: "text", text: "done" }] };
  if (method === "tasks/update" || (method === "tasks/cancel" && isModern)) return {};
  return { taskId: "task-1", status: "completed", ...TIMES, ...(isModern ? { ttlMs: null } : { ttl: 60_000 }) };
}

/** The task that the tool `job` becomes. */
export function serveJob(guards: Guards, params: JsonObject, revision: Revision): JsonObject | undefined {
  if (revision === NEWEST_REVISION) {
    return declaresTasks(params)
      ? { resultType: "task", taskId: "task-1", status: "working", ...TIMES, ttlMs: null }
      : undefined;
  }
  if (revision < "2025-11-25") return undefined;
  if (params.task === undefined && guards("task required")) {
    throw new RpcError(-32601, "This tool runs as a task");
  }
  return { task: { taskId: "task-1", status: "working", ...TIMES, ttl: 60_000 } };
}

function declaresTasks({ _meta: meta }: JsonObject): boolean {
  const capabilities = isObject(meta) ? meta[`${PREFIX}clientCapabilities`] : undefined;
  return isObject(capabilities) && isObject(capabilities.extensions) && TASKS in capabilities.extensions;
}
