/** Tasks: calls of long-running tools whose results are fetched later, by the modern extension and in 2025-11-25. */
import { OVER_HTTP, type Requirements, SCRIPTED } from "./requirement.js";

const page = "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks";
/** The sentences of the extension are in the repository `ext-tasks`. The decision says which of them a server follows. */
const modern = { source: { decision: "tasks-extension" }, strength: "decision", since: "2026-07-28" } as const;
const legacy = { since: "2025-11-25", until: "2025-11-25" } as const;
const handles = { source: { decision: "task-handles" }, strength: "decision", since: "2025-11-25" } as const;

export const tasks: Requirements = {
  "tasks:extension:declared": {
    ...modern,
    behavior: "A server with the option tasks declares the extension, and one without it does not.",
  },
  "tasks:extension:created": {
    ...modern,
    behavior:
      "A client with the extension gets a flat task as the answer to the call, and tasks/get finds the task from then on.",
  },
  "tasks:extension:sync-without": {
    ...modern,
    behavior: "A client without the extension waits for the result of a tool whose task is optional.",
  },
  "tasks:extension:required": {
    ...modern,
    behavior: "A client without the extension gets -32021 with requiredCapabilities for a tool that needs a task.",
  },
  "tasks:extension:gated": {
    ...modern,
    behavior: "A client without the extension gets -32021 for the methods of tasks.",
  },
  "tasks:extension:outcomes": {
    ...modern,
    behavior:
      "A result ends a task as completed, also with isError, and a protocol error ends it as failed with that error.",
  },
  "tasks:extension:questions": {
    ...modern,
    behavior:
      "Questions of a handler are the inputRequests of its task, answers by tasks/update may come one by one, and others are ignored.",
  },
  "tasks:extension:late-answer": {
    ...modern,
    source: { decision: "task-questions" },
    behavior:
      "A task keeps the answer to a question that its handler has withdrawn. Asking again under the same key gets that answer.",
  },
  "tasks:question-timeout": {
    source: { decision: "task-questions" },
    strength: "decision",
    since: "2025-11-25",
    needs: ["session", "server-requests"],
    behavior: "A question of a task rejects after its own timeoutMs, and the task goes on.",
  },
  "tasks:extension:explicit-rounds": {
    ...modern,
    behavior:
      "A handler that returns inputRequired inside a task is asked again with the answers, under keys that are never reused.",
  },
  "tasks:extension:cancel": {
    ...modern,
    behavior:
      "tasks/cancel is acknowledged with an empty result, aborts the handler, and changes nothing in a finished task.",
  },
  "tasks:extension:status-message": {
    ...modern,
    behavior: "Progress of a handler becomes the status message of its task, and no progress notification is sent.",
  },
  "tasks:extension:listen": {
    ...modern,
    behavior:
      "The filter taskIds of subscriptions/listen delivers each change of the named tasks as tasks/get would return it.",
  },
  "tasks:extension:listen-own": {
    ...modern,
    behavior: "Ids of unknown tasks are left out of the honored filter taskIds.",
  },
  "tasks:extension:unknown-id": {
    ...modern,
    behavior: "An unknown task id is -32602 for tasks/get, tasks/update and tasks/cancel.",
  },
  "tasks:extension:starts-later": {
    ...modern,
    behavior:
      "Questions before startTask are rounds of the call, and the call is answered with the task from there on.",
  },
  "tasks:extension:starts-later:without": {
    source: { decision: "tasks-that-start-later" },
    strength: "decision",
    since: "2025-06-18",
    needs: ["server-requests"],
    behavior: "startTask does nothing for a client that waits for the result.",
  },
  "tasks:extension:starts-later:misuse": {
    ...modern,
    behavior: "startTask is refused while a question waits for its answer, and in a tool without the option task.",
  },
  "tasks:extension:lists": {
    ...modern,
    behavior: "The modern list of tools says nothing about tasks.",
  },
  "tasks:followed": {
    ...modern,
    behavior:
      "callTool of a client with the extension follows a task to its end: it answers each question once and returns the result or throws the error.",
  },
  "tasks:followed:aborted": {
    ...modern,
    behavior:
      "Aborting a call whose task is being followed cancels the task, and so does a question that the client cannot answer.",
  },
  "tasks:followed:malformed-question": {
    ...modern,
    source: { decision: "followed-tasks" },
    strength: "decision",
    over: SCRIPTED,
    behavior: "A question of a task that is malformed, or of another method, reaches no handler: the call rejects.",
  },
  "tasks:followed:closed": {
    source: { decision: "followed-tasks" },
    strength: "decision",
    since: "2025-11-25",
    behavior: "Closing a client rejects a call whose task is being followed at once, and the task goes on.",
  },
  "tasks:followed:while-asked": {
    ...modern,
    source: { decision: "followed-tasks" },
    behavior:
      "A client follows a task while its handler answers a question: if the task ends or withdraws the question, the call settles and the handler's signal aborts.",
  },
  "tasks:followed:listens": {
    ...modern,
    source: { decision: "followed-tasks" },
    behavior:
      "A client that follows an unfinished task listens to its changes, and polls it seldom as long as it listens.",
  },
  "tasks:followed:legacy-required": {
    ...legacy,
    source: `${page}#tool-level-negotiation`,
    strength: "must",
    needs: ["session", "server-requests"],
    behavior:
      "callTool of a client with the extension runs a tool of 2025-11-25 that needs a task as a task, and follows the task to its end.",
  },
  "tasks:followed:legacy-aborted": {
    ...legacy,
    source: { decision: "followed-tasks" },
    strength: "decision",
    behavior: "Aborting a call whose task of 2025-11-25 is being followed cancels the task.",
  },
  "tasks:handle:started": {
    ...handles,
    behavior: "startTool resolves with a handle once the server has accepted the call.",
  },
  "tasks:handle:questions": {
    ...handles,
    needs: ["session", "server-requests"],
    behavior: "Questions of a started task wait until its result is awaited, and are answered then.",
  },
  "tasks:handle:reopened": {
    ...handles,
    behavior: "reopenTask opens a stored handle with another client of the server.",
  },
  "tasks:handle:outcomes": {
    ...handles,
    behavior: "A handle shows that its task has failed or was cancelled, and cancelling a finished task does nothing.",
  },
  "tasks:handle:aborted": {
    ...handles,
    behavior: "Aborting the wait for the result of a handle leaves its task running.",
  },
  "tasks:handle:at-once": {
    ...handles,
    behavior: "A tool that answers at once gives a handle that is done.",
  },
  "tasks:handle:misuse": {
    ...handles,
    behavior:
      "startTool and reopenTask refuse a client without the extension, and reopenTask a value that is no handle.",
  },
  "tasks:handle:checked": {
    ...handles,
    behavior:
      "The result of a handle is checked by the shape of its method and by the output schema of its tool, also if it was stored.",
  },
  "tasks:rerun": {
    source: { decision: "tasks-after-a-restart" },
    strength: "decision",
    since: "2025-11-25",
    needs: ["session"],
    behavior:
      "After a restart, the handler of a task that may run again does so with its answers and results of once, and other tasks fail.",
  },
  "tasks:rerun:while-running": {
    source: { decision: "tasks-of-ended-processes" },
    strength: "decision",
    since: "2025-11-25",
    needs: ["session"],
    behavior: "A running server takes up the tasks of processes that have ended since its start.",
  },
  "tasks:bidirectional:call-cancelled": {
    ...legacy,
    source: { decision: "questions-as-tasks" },
    strength: "decision",
    needs: ["session", "server-requests"],
    behavior: "Cancelling a call whose question runs as a task of the client cancels that task.",
  },
  "tasks:bidirectional:reported": {
    ...legacy,
    source: { decision: "questions-as-tasks" },
    strength: "decision",
    needs: ["session", "server-requests"],
    behavior: "A handler of the client that throws inside a task is reported to the client's onError.",
  },
  "tasks:options": {
    source: { decision: "tasks-of-tools" },
    strength: "decision",
    over: { connections: [], because: "no-connection" },
    behavior: "An option task that is out of range is refused with the name of the tool.",
  },
  "tasks:served-again": {
    source: { decision: "tasks-of-tools" },
    strength: "decision",
    over: { connections: [], because: "no-connection" },
    behavior: "A server that was closed and is used again runs new tasks.",
  },
  "tasks:opt-in": {
    source: { decision: "tasks-of-tools" },
    strength: "decision",
    over: { connections: [], because: "no-connection" },
    behavior: "A tool with the option task is refused by a server without the option tasks.",
  },
  "tasks:create:via-tool-call": {
    ...legacy,
    source: `${page}#creating-tasks`,
    strength: "stated",
    behavior: "A call with the param task is answered with a task at once, and the handler runs on.",
  },
  "tasks:get:status": {
    ...legacy,
    source: `${page}#getting-tasks`,
    strength: "stated",
    behavior: "tasks/get returns the status, times, time to live and poll interval of a task.",
  },
  "tasks:capability:declared": {
    ...legacy,
    source: `${page}#server-capabilities`,
    strength: "stated",
    needs: ["one-pipe"],
    behavior: "A server with tasks declares tasks.list, tasks.cancel and tasks.requests.tools.call.",
  },
  "tasks:tool-level:listed": {
    ...legacy,
    source: `${page}#tool-level-negotiation`,
    strength: "stated",
    behavior: "tools/list says by execution.taskSupport whether a tool runs as a task.",
  },
  "tasks:tool-level:forbidden-with-task-32601": {
    ...legacy,
    source: `${page}#tool-level-negotiation`,
    strength: "should",
    behavior: "A call with task of a tool that does not run as a task is -32601.",
  },
  "tasks:tool-level:required-no-task-32601": {
    ...legacy,
    source: `${page}#tool-level-negotiation`,
    strength: "must",
    behavior: "A call without task of a tool that needs a task is -32601.",
  },
  "tasks:create:ttl-honored": {
    ...legacy,
    source: `${page}#ttl-and-resource-management`,
    strength: "must",
    behavior: "The granted time to live is in the created task and in tasks/get, and at most that of the server.",
  },
  "tasks:result:terminal": {
    ...legacy,
    source: `${page}#result-retrieval`,
    strength: "must",
    behavior: "tasks/result waits for the end of the task and returns the result of the call, with its related task.",
  },
  "tasks:result:failed": {
    ...legacy,
    source: `${page}#task-execution-errors`,
    strength: "must",
    behavior: "A task whose tool failed is failed, and tasks/result returns the result with isError or the error.",
  },
  "tasks:cancel:working": {
    ...legacy,
    source: `${page}#task-cancellation`,
    strength: "must",
    behavior:
      "tasks/cancel aborts the signal of the handler and returns the cancelled task, which stays cancelled whatever the handler does.",
  },
  "tasks:cancel:terminal-rejected": {
    ...legacy,
    source: `${page}#task-cancellation`,
    strength: "must",
    behavior: "Cancelling a finished task is -32602.",
  },
  "tasks:unknown-id:legacy": {
    ...legacy,
    source: `${page}#protocol-errors`,
    strength: "must",
    behavior: "An unknown id is -32602 for tasks/get, tasks/result and tasks/cancel.",
  },
  "tasks:list:pagination": {
    ...legacy,
    source: `${page}#task-listing`,
    strength: "must",
    needs: ["one-pipe"],
    behavior: "tasks/list returns all tasks of the caller by pages, and an unknown cursor is -32602.",
  },
  "tasks:side-channel:elicitation": {
    ...legacy,
    source: `${page}#input-required-status`,
    strength: "must",
    needs: ["session", "server-requests"],
    behavior:
      "A question makes the task input_required until an open tasks/result has carried it, with its related task, and the answer.",
  },
  "tasks:side-channel:withdrawn": {
    ...legacy,
    source: { decision: "task-questions" },
    strength: "decision",
    needs: ["session", "server-requests"],
    behavior:
      "A question that its handler withdraws is cancelled at the client, and sent again if the handler asks again.",
  },
  "tasks:side-channel:refused": {
    ...legacy,
    source: { decision: "legacy-task-questions" },
    strength: "decision",
    needs: ["session", "server-requests"],
    behavior: "A question that the client answers with an error rejects in the handler with that error.",
  },
  "tasks:list:anonymous": {
    ...legacy,
    source: { decision: "legacy-task-lists" },
    strength: "decision",
    over: { connections: ["http", "fetch"], because: "http-only" },
    behavior: "Anonymous callers over HTTP cannot list tasks, and the server does not declare that they can.",
  },
  "tasks:result:cancelled": {
    ...legacy,
    source: { decision: "legacy-cancelled-results" },
    strength: "decision",
    behavior: "tasks/result of a cancelled task is -32602.",
  },
  "tasks:auth:context-isolation": {
    source: { decision: "task-owners" },
    strength: "decision",
    since: "2025-11-25",
    over: OVER_HTTP,
    behavior: "A task of one principal is -32602 for every other one, and is in no list of others.",
  },
  "tasks:request-cancel:no-task-cancel": {
    source: { decision: "task-handles" },
    strength: "decision",
    since: "2025-11-25",
    needs: ["session"],
    behavior: "Cancelling the request that became a task does not cancel the task.",
  },
  "tasks:side-channel:sampling": {
    ...legacy,
    source: `${page}#input-required-status`,
    strength: "must",
    needs: ["session", "server-requests"],
    behavior: "A sampling request of a task waits for an open tasks/result, and carries its related task.",
  },
  "tasks:side-channel:drop-on-cancel": {
    ...legacy,
    source: { decision: "legacy-task-questions" },
    strength: "decision",
    needs: ["session", "server-requests"],
    behavior: "A cancelled task drops the questions that were not sent yet.",
  },
  "tasks:related-task:by-param": {
    ...legacy,
    source: `${page}#associating-task-related-messages`,
    strength: "must",
    needs: ["session"],
    behavior:
      "The param taskId names the task of a request; related-task metadata is ignored, and absent from such answers.",
  },
  "tasks:tool-level:client": {
    ...legacy,
    source: `${page}#tool-level-negotiation`,
    strength: "must",
    behavior: "A client starts no task with a tool that does not run as one, nor with a server that runs none.",
  },
  "tasks:polling": {
    source: { decision: "followed-tasks" },
    strength: "decision",
    since: "2025-11-25",
    behavior: "A client that follows a task waits for the poll interval of the server before each poll.",
  },
  "tasks:limits": {
    source: { decision: "tasks-of-tools" },
    strength: "decision",
    since: "2025-11-25",
    behavior: "A call over the number of tasks that are kept is refused.",
  },
  "tasks:limits:bytes": {
    source: { decision: "task-records" },
    strength: "decision",
    since: "2025-11-25",
    behavior:
      "A call over the bytes that are kept of tasks is refused. Params count as parsed JSON, not as their text.",
  },
  "tasks:limits:principal": {
    source: { decision: "tasks-of-tools" },
    strength: "decision",
    since: "2025-11-25",
    over: OVER_HTTP,
    behavior: "A call over the number of tasks that are kept of its principal is refused.",
  },
  "tasks:expiry": {
    source: { decision: "tasks-of-tools" },
    strength: "decision",
    since: "2025-11-25",
    behavior: "A task that is older than its time to live is gone.",
  },
  "tasks:bidirectional": {
    ...legacy,
    source: `${page}#definitions`,
    strength: "stated",
    needs: ["session", "server-requests"],
    behavior: "A server runs a question as a task of its client, polls the task, and fetches the answer.",
  },
  "tasks:bidirectional:declared": {
    ...legacy,
    source: `${page}#capabilities`,
    strength: "must",
    needs: ["session", "server-requests"],
    behavior: "A client that runs questions as tasks declares which, and only such a client is asked for tasks.",
  },
  "tasks:bidirectional:undeclared": {
    ...legacy,
    source: `${page}#task-support-and-handling`,
    strength: "must",
    over: SCRIPTED,
    behavior: "A client with tasks refuses a question that it did not declare alike with and without the param task.",
  },
  "tasks:bidirectional:methods": {
    ...legacy,
    source: `${page}#task-cancellation`,
    strength: "must",
    needs: ["session", "server-requests"],
    behavior: "A client lists, reads and cancels the tasks of its server.",
  },
  "tasks:bidirectional:limits": {
    ...legacy,
    source: { decision: "questions-as-tasks" },
    strength: "decision",
    needs: ["session", "server-requests"],
    behavior: "A client answers 429 to a question over the number of tasks that it keeps.",
  },
  "tasks:status-notification": {
    ...legacy,
    source: `${page}#task-status-notification`,
    strength: "stated",
    needs: ["session"],
    behavior: "The connection that created a task gets the whole task, but its result, with each change.",
  },
  "tasks:progress:after-create": {
    ...legacy,
    source: `${page}#task-progress-notifications`,
    strength: "stated",
    needs: ["session"],
    behavior: "Progress goes on under the token of the call after the task was created.",
  },
  "tasks:log:after-create": {
    ...legacy,
    source: `${page}#associating-task-related-messages`,
    strength: "must",
    needs: ["session"],
    behavior: "Log messages of a task reach the client from the level on that it set, and name the task.",
  },
};
