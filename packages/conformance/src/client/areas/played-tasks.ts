/** The played server of modern tasks: a tool for each life of a task. Checks of `modern-tasks.ts` know the tools by name. */
import { CLIENT_CAPABILITIES_KEY, TASKS_EXTENSION } from "../../target/envelope.js";
import { isObject, type JsonObject } from "../../wire/json-rpc.js";
import { answer, refuse } from "../replies.js";
import type { MaybeReply, Script } from "../scenario.js";
import type { SeenRequest } from "../sighting.js";

/** The first interval between two polls, and the one that the second poll of `steps` is answered with. */
export const INTERVAL_MS = 100;
export const CHANGED_INTERVAL_MS = 300;

/** The key of the question that the task of `asks` has. */
export const QUESTION_KEY = "which-city";

const TIME = "2026-07-28T00:00:00Z";
const DONE = { content: [{ type: "text", text: "done" }] };

const QUESTION = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Which city?",
    requestedSchema: { type: "object", properties: { city: { type: "string", default: "Paris" } } },
  },
};

/** A client that answers no question still comes to an end. */
const MAX_UNANSWERED_POLLS = 4;

/** The state of a task at its n-th poll, counted from 1, and after so many answers. */
type Life = (poll: number, answers: number) => JsonObject;

const COMPLETED = { status: "completed", result: DONE };
const WORKING = { status: "working" };

/** In the order of the list. A tool without a life answers at once. */
const LIVES: readonly (readonly [tool: string, life?: Life])[] = [
  ["at-once"],
  [
    "steps",
    (poll) => (poll > 2 ? COMPLETED : { ...WORKING, pollIntervalMs: poll === 2 ? CHANGED_INTERVAL_MS : INTERVAL_MS }),
  ],
  // The question is shown once more after it was answered, as the specification allows.
  [
    "asks",
    (poll, answers) =>
      poll <= (answers === 0 ? MAX_UNANSWERED_POLLS : 2)
        ? { status: "input_required", inputRequests: { [QUESTION_KEY]: QUESTION } }
        : COMPLETED,
  ],
  ["fails", () => ({ status: "failed", error: { code: -32603, message: "The disk is full" } })],
  ["stopped", () => ({ status: "cancelled" })],
  ["rests", (poll) => (poll > 2 ? COMPLETED : { status: "resting" })],
  ["named", () => COMPLETED],
  ["hang", () => WORKING],
  ["after"],
];

export function taskIdOf(tool: string): string {
  return tool === "named" ? "tâche 1/2" : `parley-check-task-${tool}`;
}

function task(tool: string, state: JsonObject): JsonObject {
  const times = { createdAt: TIME, lastUpdatedAt: TIME };
  return { taskId: taskIdOf(tool), ...times, ttlMs: 60_000, pollIntervalMs: INTERVAL_MS, ...state };
}

function declared({ meta }: SeenRequest): JsonObject {
  const capabilities = meta[CLIENT_CAPABILITIES_KEY];
  return isObject(capabilities) ? capabilities : {};
}

export function playTasks(): Script {
  const polls = new Map<string, number>();
  const answers = new Map<string, number>();
  const count = (counts: Map<string, number>, tool: string) => {
    counts.set(tool, (counts.get(tool) ?? 0) + 1);
    return counts.get(tool) ?? 0;
  };
  /** The tool of the task that a request names, or a refusal. */
  const withTask = (request: SeenRequest, reply: (tool: string, life: Life) => JsonObject): MaybeReply => {
    const [tool, life] = LIVES.find(([name]) => taskIdOf(name) === request.params.taskId) ?? [];
    return tool !== undefined && life
      ? answer(request, reply(tool, life))
      : refuse(200, request.message.id, -32602, "There is no such task");
  };
  return {
    tools: LIVES.map(([name]) => ({ name, inputSchema: { type: "object" } })),
    prompts: [{ name: "briefing" }],
    capabilities: { extensions: { [TASKS_EXTENSION]: {} } },
    answers: {
      "tools/call": (request) => {
        const { extensions, elicitation } = declared(request);
        const [tool, life] = LIVES.find(([name]) => name === request.params.name) ?? [];
        const isTask = isObject(extensions) && TASKS_EXTENSION in extensions;
        // A client that answers no forms is asked none.
        if (!isTask || tool === undefined || !life || (tool === "asks" && !elicitation)) return undefined;
        return answer(request, { resultType: "task", ...task(tool, WORKING) });
      },
      "prompts/get": (request) => answer(request, { resultType: "task", ...task("prompt", WORKING) }),
      "tasks/get": (request) =>
        withTask(request, (tool, life) => task(tool, life(count(polls, tool), answers.get(tool) ?? 0))),
      "tasks/update": (request) =>
        withTask(request, (tool) => {
          count(answers, tool);
          return {};
        }),
      "tasks/cancel": (request) => withTask(request, () => ({})),
    },
  };
}
