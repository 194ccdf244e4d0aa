/** How a modern client with the tasks extension follows tasks, answers their questions and cancels them. */
import { notObserved } from "../../judge/expectations.js";
import { CLIENT_CAPABILITIES_KEY, headerValue, REVISION_KEY, TASKS_EXTENSION } from "../../target/envelope.js";
import { isObject } from "../../wire/json-rpc.js";
import type { ClientArea, ClientCheck, Scenario } from "../scenario.js";
import {
  callsOf,
  differs,
  everyRequest,
  notificationsOf,
  requestsOf,
  type SeenRequest,
  type Sighting,
  wantOf,
} from "../sighting.js";
import { CHANGED_INTERVAL_MS, INTERVAL_MS, playTasks, QUESTION_KEY, taskIdOf } from "./played-tasks.js";

const SCENARIO = "tasks-modern";

/** Clocks of two processes, and timers that round down. */
const SLACK_MS = 20;

/** Polls after a terminal status that may have been under way. */
const MAX_LATE_POLLS = 1;

type Place = "http" | "stdio";

function scenarioAt(place: Place): Scenario {
  return {
    name: place === "stdio" ? `stdio-${SCENARIO}` : SCENARIO,
    isOverStdio: place === "stdio",
    revisions: ["2026-07-28"],
    summary:
      "Tools that a client with the tasks extension gets a task from. A client follows each, and gives `hang` up after a second.",
    script: playTasks,
  };
}

/** Requests of the methods of tasks. */
function taskRequests(seen: readonly Sighting[]): SeenRequest[] {
  return requestsOf(seen).filter(({ method }) => method.startsWith("tasks/"));
}

function pollsOf(seen: readonly Sighting[], tool: string): SeenRequest[] {
  return requestsOf(seen, "tasks/get").filter(({ params }) => params.taskId === taskIdOf(tool));
}

/** The call of a tool that was answered with a task. */
function startedBy(seen: readonly Sighting[], tool: string): SeenRequest {
  const [call] = callsOf(seen, tool);
  if (!call) notObserved("the client did not call the tool");
  if (!declaresTasks(call)) notObserved("the client does not declare the tasks extension");
  return call;
}

/** The call whose task the client follows until it gives it up. Before its first poll it may not know of the task. */
function givenUp(seen: readonly Sighting[]): SeenRequest {
  const call = startedBy(seen, "hang");
  if (pollsOf(seen, "hang").length === 0) notObserved("the client did not poll the task that it is to give up");
  return call;
}

function declaresTasks({ meta }: SeenRequest): boolean {
  const declared = meta[CLIENT_CAPABILITIES_KEY];
  return isObject(declared) && isObject(declared.extensions) && isObject(declared.extensions[TASKS_EXTENSION]);
}

/** The pause before the n-th poll, counted from 0. */
function pauseBefore(polls: readonly SeenRequest[], number: number): number {
  const [before, poll] = [polls[number - 1], polls[number]];
  if (!before || !poll) notObserved("the client polled too seldom");
  return poll.sighting.atMs - before.sighting.atMs;
}

function answersOf(seen: readonly Sighting[]): SeenRequest[] {
  if (pollsOf(seen, "asks").length === 0) notObserved("the client did not poll the task that asks");
  return requestsOf(seen, "tasks/update").filter(({ params }) => params.taskId === taskIdOf("asks"));
}

function answeredOf(seen: readonly Sighting[]): SeenRequest[] {
  const answers = answersOf(seen);
  if (answers.length === 0) notObserved("the client answered no question of a task");
  return answers;
}

type CheckBody = Omit<ClientCheck, "scenario" | "id">;

/** Checks that hold wherever messages travel, by the ends of their ids. */
const EVERYWHERE: Readonly<Record<string, CheckBody>> = {
  meta: {
    requirement: "lifecycle:stateless:request-envelope",
    title: "Requests about tasks carry the revision and the capabilities in _meta.",
    mend: "Send the metadata of every request with tasks/get, tasks/update and tasks/cancel.",
    judge: (seen) =>
      everyRequest(taskRequests(seen), "revision and capabilities", ({ meta }) =>
        typeof meta[REVISION_KEY] === "string" && isObject(meta[CLIENT_CAPABILITIES_KEY]) ? undefined : meta,
      ),
  },
  declared: {
    requirement: "tasks:extension:gated",
    title: "Requests about tasks declare the tasks extension.",
    mend: `Send extensions with "${TASKS_EXTENSION}" in the capabilities of every request.`,
    judge: (seen) =>
      everyRequest(taskRequests(seen), "the extension", (request) =>
        declaresTasks(request) ? undefined : (request.meta[CLIENT_CAPABILITIES_KEY] ?? "no capabilities"),
      ),
  },
  id: {
    requirement: "tasks:followed",
    title: "Requests about a task name it by the id that the server gave it.",
    mend: "Send the taskId of the result, unchanged.",
    judge: (seen) => {
      const ids = callsOf(seen).map(({ params }) => taskIdOf(String(params.name)));
      everyRequest(taskRequests(seen), "a taskId of the server", ({ params }) =>
        ids.includes(String(params.taskId)) ? undefined : { taskId: params.taskId },
      );
    },
  },
  followed: {
    requirement: "tasks:followed",
    title: "A client polls a task until the task has ended.",
    mend: "Send tasks/get until the status is completed, failed or cancelled.",
    judge: (seen) => {
      const { sighting } = startedBy(seen, "steps");
      const count = pollsOf(seen, "steps").length;
      wantOf([sighting], count >= 3, "3 polls, the last of which finds the result", `${count} polls`);
    },
  },
  "poll-interval": {
    requirement: "tasks:polling",
    title: "A client waits for the poll interval between two polls.",
    mend: "Wait for pollIntervalMs before the next tasks/get.",
    judge: (seen) => {
      const polls = pollsOf(seen, "steps");
      const pause = pauseBefore(polls, 1);
      wantOf([polls[1]?.sighting], pause >= INTERVAL_MS - SLACK_MS, `${INTERVAL_MS} ms`, `${Math.round(pause)} ms`);
    },
  },
  "poll-interval-changed": {
    requirement: "tasks:polling",
    title: "A client takes over a poll interval that has changed.",
    mend: "Use the pollIntervalMs of the newest answer.",
    judge: (seen) => {
      const polls = pollsOf(seen, "steps");
      const pause = pauseBefore(polls, 2);
      const isKept = pause >= CHANGED_INTERVAL_MS - SLACK_MS;
      wantOf([polls[2]?.sighting], isKept, `${CHANGED_INTERVAL_MS} ms`, `${Math.round(pause)} ms`);
    },
  },
  ...Object.fromEntries(
    [
      ["completed", "steps", 3],
      ["failed", "fails", 1],
      ["cancelled", "stopped", 1],
    ].map(([status, tool, needed]): [string, CheckBody] => [
      `${status}-ends`,
      {
        requirement: "tasks:followed",
        title: `A client stops polling a task that is ${status}.`,
        mend: `Take ${status} as the end of the task.`,
        judge: (seen) => {
          startedBy(seen, String(tool));
          const polls = pollsOf(seen, String(tool));
          if (polls.length < Number(needed)) notObserved("the client did not poll until the end");
          const late = polls.slice(Number(needed) + MAX_LATE_POLLS);
          wantOf([late[0]?.sighting], late.length === 0, "no more polls", `${late.length} more`);
        },
      },
    ]),
  ),
  "unknown-status-goes-on": {
    requirement: "tasks:followed",
    title: "A status that a client does not know does not stop the client.",
    mend: "Go on polling, or fail the one call.",
    judge: (seen) => {
      startedBy(seen, "rests");
      if (pollsOf(seen, "rests").length === 0) notObserved("the client did not poll the task");
      wantOf([], callsOf(seen, "named").length > 0, "the call of the next tool", "none");
    },
  },
  "at-once-goes-on": {
    requirement: "tasks:followed",
    title: "A client with the extension takes a result at once as well.",
    mend: 'Take a result whose resultType is "complete" as the result of the call.',
    judge: (seen) => {
      startedBy(seen, "at-once");
      wantOf([], callsOf(seen, "steps").length > 0, "the call of the next tool", "none");
    },
  },
  answered: {
    requirement: "tasks:followed",
    title: "A client answers the questions of a task with tasks/update.",
    mend: "Send tasks/update with inputResponses under the keys of inputRequests.",
    judge: (seen) => {
      const answers = answersOf(seen);
      wantOf([pollsOf(seen, "asks")[0]?.sighting], answers.length > 0, "tasks/update", "none");
    },
  },
  "answer-form": {
    requirement: "tasks:followed",
    title: "The answers of tasks/update are results under the keys of the questions.",
    mend: "Send the result of the request, such as { action, content }, under its key, and no other key.",
    judge: (seen) =>
      everyRequest(answeredOf(seen), `{ "${QUESTION_KEY}": { action } }`, ({ params: { inputResponses } }) => {
        const given = isObject(inputResponses) ? inputResponses : {};
        const form = given[QUESTION_KEY];
        const isRight = Object.keys(given).length === 1 && isObject(form) && typeof form.action === "string";
        return isRight ? undefined : (inputResponses ?? "no inputResponses");
      }),
  },
  "answered-once": {
    requirement: "tasks:followed",
    title: "A question that is still shown after its answer is not answered again.",
    mend: "Keep the keys that were answered.",
    judge: (seen) => {
      const [, again] = answeredOf(seen);
      wantOf([again?.sighting], again === undefined, "one tasks/update", "another");
    },
  },
  "answers-not-in-calls": {
    requirement: "tasks:followed",
    title: "Answers to the questions of a task do not repeat the call.",
    mend: "Send answers with tasks/update. Calls are repeated for a result of type input_required alone.",
    judge: (seen) => {
      startedBy(seen, "asks");
      const [, again] = callsOf(seen, "asks");
      wantOf([again?.sighting], again === undefined, "one call", "another call");
    },
  },
  "cancel-sent": {
    requirement: "tasks:followed:aborted",
    title: "A client that gives up a task sends tasks/cancel.",
    mend: "Send tasks/cancel with the taskId.",
    judge: (seen) => {
      const { sighting } = givenUp(seen);
      const sent = requestsOf(seen, "tasks/cancel").filter(({ params }) => params.taskId === taskIdOf("hang"));
      wantOf([sighting], sent.length > 0, "tasks/cancel", "none");
    },
  },
  "cancel-not-notified": {
    requirement: "tasks:followed:aborted",
    title: "No notifications/cancelled cancels a task.",
    mend: "Send tasks/cancel. The call itself has been answered.",
    judge: (seen) => {
      const { message } = givenUp(seen);
      const sent = notificationsOf(seen, "notifications/cancelled").filter(
        ({ value }) => isObject(value) && isObject(value.params) && value.params.requestId === message.id,
      );
      wantOf(sent, sent.length === 0, "no notification", "notifications/cancelled");
    },
  },
  "cancel-goes-on": {
    requirement: "protocol:cancel:session-survives",
    atMost: "warning",
    title: "A client goes on after it has cancelled a task.",
    mend: "Keep the connection when a task is cancelled.",
    judge: (seen) => {
      startedBy(seen, "hang");
      if (requestsOf(seen, "tasks/cancel").length === 0) notObserved("the client cancelled no task");
      wantOf([], callsOf(seen, "after").length > 0, "the call of the next tool", "none");
    },
  },
  "other-method": {
    requirement: "errors:result:unknown-type",
    title: "A task in answer to prompts/get is an invalid response, and is not followed.",
    mend: "Take tasks as the answer to tools/call alone.",
    judge: (seen) => {
      if (requestsOf(seen, "prompts/get").length === 0) notObserved("the client got no prompt");
      const [poll] = pollsOf(seen, "prompt");
      wantOf([poll?.sighting], poll === undefined, "no tasks/get", "tasks/get");
    },
  },
  "server-decides": {
    requirement: "tasks:extension:created",
    title: "A modern call does not ask for a task.",
    mend: "Leave task out of the params. The server decides.",
    judge: (seen) => everyRequest(callsOf(seen), "no task in the params", ({ params }) => params.task),
  },
  "removed-methods": {
    requirement: "tasks:followed",
    title: "A modern client sends no method of tasks of 2025-11-25 alone.",
    mend: "Take the result from tasks/get. The extension has no tasks/result and no tasks/list.",
    judge: (seen) =>
      everyRequest(taskRequests(seen), "tasks/get, tasks/update or tasks/cancel", ({ method }) =>
        ["tasks/get", "tasks/update", "tasks/cancel"].includes(method) ? undefined : method,
      ),
  },
};

/** Checks of headers. */
const OVER_HTTP: Readonly<Record<string, CheckBody>> = {
  "method-header": {
    requirement: "client-transport:http:body-derived-headers",
    title: "Requests about tasks repeat their method as Mcp-Method.",
    mend: "Send Mcp-Method with every request.",
    judge: (seen) =>
      everyRequest(taskRequests(seen), "Mcp-Method", ({ headers, method }) => differs(headers["mcp-method"], method)),
  },
  "version-header": {
    requirement: "client-transport:http:body-derived-headers",
    title: "Requests about tasks repeat their revision as MCP-Protocol-Version.",
    mend: "Send MCP-Protocol-Version with every request.",
    judge: (seen) =>
      everyRequest(taskRequests(seen), "MCP-Protocol-Version", ({ headers, meta }) =>
        differs(headers["mcp-protocol-version"], meta[REVISION_KEY] ?? "2026-07-28"),
      ),
  },
  "name-header": {
    requirement: "custom-methods:mirrors",
    title: "Requests about tasks repeat the id of the task as Mcp-Name.",
    mend: "Send Mcp-Name with the taskId.",
    judge: (seen) =>
      everyRequest(
        taskRequests(seen).filter(({ params }) => params.taskId !== taskIdOf("named")),
        "Mcp-Name",
        ({ headers, params }) => differs(headers["mcp-name"], params.taskId),
      ),
  },
  "name-encoded": {
    requirement: "client-transport:http:body-derived-headers",
    title: "The id of a task is encoded in Mcp-Name where a header needs it.",
    mend: "Send =?base64?…?= with the Base64 of the UTF-8 bytes.",
    judge: (seen) =>
      everyRequest(
        pollsOf(seen, "named").filter(({ headers }) => headers["mcp-name"] !== undefined),
        headerValue(taskIdOf("named")),
        ({ headers }) => differs(headers["mcp-name"], headerValue(taskIdOf("named"))),
      ),
  },
};

function checksAt(place: Place): ClientCheck[] {
  const [prefix, scenario] =
    place === "stdio" ? ["client-stdio-modern-task", `stdio-${SCENARIO}`] : ["client-modern-task", SCENARIO];
  const bodies = place === "stdio" ? EVERYWHERE : { ...EVERYWHERE, ...OVER_HTTP };
  return Object.entries(bodies).map(([name, body]) => ({
    ...body,
    id: `${prefix}-${name}`,
    scenario,
    title: place === "stdio" ? body.title.replace(/\.$/, ", over standard streams.") : body.title,
  }));
}

export const modernTasks: ClientArea = {
  area: "client-modern-tasks",
  scenarios: [scenarioAt("http"), scenarioAt("stdio")],
  checks: [...checksAt("http"), ...checksAt("stdio")],
};
