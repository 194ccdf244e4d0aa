/** Faults of questions to the client, and of tasks. */
import type { Revision } from "parley-requirements";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { type Mutant, onError, onResult, without } from "./fault-makers.fixture.js";

/** A change of the results that ask. */
function onRound(check: string, change: (result: JsonObject, requests: JsonObject) => void): Mutant {
  return onResult(check, "tools/call", (result) => {
    if (result.resultType !== "input_required") return;
    change(result, isObject(result.inputRequests) ? result.inputRequests : {});
  });
}

/** A change of the params of a question. */
function onQuestion(check: string, key: string, change: (params: JsonObject, question: JsonObject) => void): Mutant {
  return onRound(check, (_result, requests) => {
    const question = requests[key];
    if (isObject(question)) change(isObject(question.params) ? question.params : {}, question);
  });
}

const rounds: readonly Mutant[] = [
  {
    ...onRound("round-not-empty", (result) => {
      result.inputRequests = {};
      delete result.requestState;
    }),
    also: ["round-completes"],
  },
  {
    ...onRound("round-questions", (result) => {
      result.inputRequests = ["Your name?"];
    }),
    also: ["round-completes"],
  },
  onQuestion("round-question-kinds", "roots", (_params, question) => {
    question.method = "tools/list";
  }),
  {
    ...onRound("round-state-text", (result) => {
      result.requestState = 7;
    }),
    also: ["round-completes", "round-missing-answer", "round-extra-answer"],
  },
  onQuestion("round-form-schema", "name", (params) => {
    params.requestedSchema = { type: "object", properties: { name: { type: "object" } } };
  }),
  onQuestion("round-sampling-params", "greeting", (params) => {
    delete params.maxTokens;
  }),
  without("round-undeclared", "round declared"),
  onError("round-undeclared-error", -32021, (error) => {
    delete error.data;
  }),
  onError("round-undeclared-status", -32021, (_error, reply) => {
    reply.status = 200;
  }),
  without("round-completes", "round end"),
  without("round-missing-answer", "round missing"),
  without("round-extra-answer", "round extra"),
  without("round-malformed-answer", "round answers"),
  without("round-state-tampered", "round state"),
];

/** A change of the task that a call of 2025-11-25 became. */
function onCreated(check: string, change: (task: JsonObject) => void): Mutant {
  return onResult(check, "tools/call", ({ task }) => {
    if (isObject(task)) change(task);
  });
}

const tasks: readonly Mutant[] = [
  onCreated("task-created", (task) => {
    task.status = "sleeping";
  }),
  onCreated("task-ttl", (task) => {
    task.ttl = "a minute";
  }),
  {
    ...onResult("task-get", "tasks/get", (result) => {
      result.taskId = "task-2";
    }),
    revision: "2025-11-25",
  },
  onResult("task-result", "tasks/result", (result) => {
    delete result.content;
  }),
  without("task-cancel-ended", "task ended"),
  ...["get", "result", "cancel"].map((name) => ({
    ...without(`task-unknown-${name}`, `task id tasks/${name} false`, ...(name === "cancel" ? ["task ended"] : [])),
    also: name === "cancel" ? ["task-cancel-ended"] : [],
  })),
  without("task-list-cursor", "cursor tasks"),
  { ...without("task-required", "task required"), also: ["tool-result-content"] },
  without("task-forbidden", "task forbidden"),
  onResult("task-flat", "tools/call", (result) => {
    if (result.resultType === "task") delete result.lastUpdatedAt;
  }),
  {
    ...onResult("task-found", "tasks/get", (result) => {
      result.status = "gone";
    }),
    revision: "2026-07-28",
  },
  ...["get", "update", "cancel"].map((name) => without(`task-extension-unknown-${name}`, `task id tasks/${name} true`)),
  without("task-extension-gated", "tasks declared"),
  onResult("task-questions", "tasks/get", (result) => {
    if (result.status === "input_required") delete result.inputRequests;
  }),
  onResult("task-answers-acknowledged", "tasks/update", (result) => {
    result.status = "working";
  }),
  without("task-answers-partly", "task questions apart"),
  without("task-resumes", "task resumes"),
  onResult("task-after-rounds", "tools/call", (result) => {
    if (result.resultType === "task") result.requestState = "survey";
  }),
  without("header-name-missing-task", "name header tasks/get"),
  without("header-name-differs-task", "task header value"),
];

/** A fault of the requests to legacy clients, over pipes. */
function overPipes(mutant: Mutant, revision: Revision = "2025-11-25"): Mutant {
  return { ...mutant, kind: "stdio", revision };
}

/** A change of the params of a request to a legacy client. */
function onRequest(
  check: string,
  isConcerned: (request: JsonObject) => boolean,
  change: (params: JsonObject) => void,
): Mutant {
  return overPipes({
    check,
    change({ messages }) {
      for (const message of messages.filter(isObject).filter((item) => "method" in item && "id" in item))
        if (isConcerned(message) && isObject(message.params)) change(message.params);
    },
  });
}

const isForm = ({ params }: JsonObject): boolean => isObject(params) && "requestedSchema" in params;
const isPage = ({ params }: JsonObject): boolean => isObject(params) && params.mode === "url";
const isSampling = ({ method }: JsonObject): boolean => method === "sampling/createMessage";

const questions: readonly Mutant[] = [
  overPipes(without("question-undeclared-sampling", "question sampling")),
  overPipes(without("question-undeclared-roots", "question roots")),
  { ...overPipes(without("question-undeclared-form", "question elicitation")), also: ["question-mode-form"] },
  overPipes(without("question-mode-url", "question mode url")),
  overPipes(without("question-mode-form", "question mode form")),
  overPipes(without("question-sampling-tools", "question tools")),
  overPipes(without("question-ids", "question ids")),
  overPipes(without("question-kinds", "question kinds")),
  onRequest("question-form", isForm, (params) => {
    delete params.message;
  }),
  onRequest("question-form-fields", isForm, (params) => {
    params.requestedSchema = { type: "object", properties: { name: { type: "object" } } };
  }),
  onRequest("question-url", isPage, (params) => {
    params.url = "somewhere";
  }),
  onRequest("question-url-id", isPage, (params) => {
    delete params.elicitationId;
  }),
  onRequest("question-sampling-params", isSampling, (params) => {
    delete params.maxTokens;
  }),
  onRequest("question-sampling-balance", isSampling, (params) => {
    params.messages = [{ role: "assistant", content: { type: "tool_use", id: "1", name: "a", input: {} } }];
  }),
  { ...overPipes(without("question-answered", "question answered")), also: ["question-declined"] },
  overPipes(without("question-declined", "question declined")),
  overPipes(without("question-rejected", "question rejected")),
];

export const ASKING_MUTANTS: readonly Mutant[] = [...rounds, ...tasks, ...questions];
