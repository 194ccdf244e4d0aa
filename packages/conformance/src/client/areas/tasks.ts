/** Which calls a client of 2025-11-25 runs as tasks, and how it follows them. */
import { notObserved } from "../../judge/expectations.js";
import type { JsonObject } from "../../wire/json-rpc.js";
import { answer, refuse } from "../replies.js";
import type { ClientArea } from "../scenario.js";
import { callsOf, everyRequest, requestsOf, type SeenRequest, type Sighting, wantOf } from "../sighting.js";

const SCENARIO = "task-tools";
const TASK_ID = "parley-check-task-1";
const TIME = "2026-07-28T00:00:00Z";

function tool(name: string, taskSupport?: string): JsonObject {
  return {
    name,
    inputSchema: { type: "object" },
    ...(taskSupport === undefined ? {} : { execution: { taskSupport } }),
  };
}

function task(status: string): JsonObject {
  return { taskId: TASK_ID, status, createdAt: TIME, lastUpdatedAt: TIME, ttl: 60_000, pollInterval: 50 };
}

function call(request: SeenRequest) {
  if (request.params.task !== undefined) return answer(request, { task: task("working") });
  return request.params.name === "needs-task"
    ? refuse(200, request.message.id, -32601, "This tool runs as a task")
    : undefined;
}

/** Every call that asks to run as a task. */
function taskCallsOf(seen: readonly Sighting[]): SeenRequest[] {
  return requestsOf(seen, "tools/call").filter(({ params }) => params.task !== undefined);
}

export const tasks: ClientArea = {
  area: "client-tasks",
  scenarios: [
    {
      name: SCENARIO,
      revisions: ["2025-11-25"],
      summary: "A legacy server with tasks, and tools that run as tasks, may, or do not.",
      script: () => ({
        tools: [
          tool("plain"),
          tool("no-task", "forbidden"),
          tool("maybe-task", "optional"),
          tool("needs-task", "required"),
        ],
        capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        answers: {
          "tools/call": call,
          "tasks/get": (request) => answer(request, task("completed")),
          "tasks/result": (request) => answer(request, { content: [{ type: "text", text: "done" }] }),
        },
      }),
    },
  ],
  checks: [
    {
      id: "client-task-forbidden",
      scenario: SCENARIO,
      requirement: "tasks:tool-level:client",
      title: "A tool that does not run as a task is called without one.",
      mend: "Send task to tools whose taskSupport is optional or required alone.",
      judge: (seen) =>
        everyRequest(
          [...callsOf(seen, "plain"), ...callsOf(seen, "no-task")],
          "calls without task",
          ({ params }) => params.task,
        ),
    },
    {
      id: "client-task-undeclared",
      scenario: "tools-legacy",
      since: "2025-11-25",
      requirement: "tasks:tool-level:client",
      title: "No call runs as a task at a server that does not declare tasks.",
      mend: "Look for tasks.requests.tools.call in the capabilities of the server.",
      judge: (seen) => everyRequest(requestsOf(seen, "tools/call"), "calls without task", ({ params }) => params.task),
    },
    {
      id: "client-task-required",
      scenario: SCENARIO,
      requirement: "tasks:followed:legacy-required",
      title: "A client that runs tasks calls a tool that needs one with a task.",
      mend: "Send task with calls of tools whose taskSupport is required.",
      judge: (seen) => {
        // A client that knows no tasks is none that the sentence is about.
        if (taskCallsOf(seen).length === 0) notObserved("the client runs no tasks");
        everyRequest(callsOf(seen, "needs-task"), "calls with task", ({ params }) =>
          params.task === undefined ? "no task" : undefined,
        );
      },
    },
    {
      id: "client-task-id",
      scenario: SCENARIO,
      requirement: "tasks:get:status",
      title: "A client asks for its task under the id that the server gave it.",
      mend: "Send the taskId of the created task with tasks/get, tasks/result and tasks/cancel.",
      judge: (seen) =>
        everyRequest(
          requestsOf(seen).filter(({ method }) => ["tasks/get", "tasks/result", "tasks/cancel"].includes(method)),
          `taskId "${TASK_ID}"`,
          ({ params }) => (params.taskId === TASK_ID ? undefined : { taskId: params.taskId }),
        ),
    },
    {
      id: "client-task-result",
      scenario: SCENARIO,
      requirement: "tasks:followed:legacy-required",
      atMost: "warning",
      title: "A client that started a task fetches its result.",
      mend: "Send tasks/result once the task has ended, or in place of polling.",
      judge: (seen) => {
        const started = taskCallsOf(seen);
        if (started.length === 0) notObserved("the client runs no tasks");
        wantOf([started[0]?.sighting], requestsOf(seen, "tasks/result").length > 0, "tasks/result", "none");
      },
    },
  ],
};
