/**
 * The judge of the extension `io.modelcontextprotocol/tasks`, in place of those who know the specification alone. It is as strict as
 * the extension's text: a task has the member that its status calls for, and none of another status.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Judge, Statement } from "./statement.js";

const TEXT = { type: "string" };
const ID = { type: ["string", "integer"] };
const TIME = { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$" };
const META = { type: "object", required: ["io.modelcontextprotocol/protocolVersion"] };
const QUESTION = {
  type: "object",
  required: ["method"],
  properties: { method: { enum: ["elicitation/create", "sampling/createMessage", "roots/list"] } },
};
const ERROR = {
  type: "object",
  required: ["code", "message"],
  properties: { code: { type: "integer" }, message: TEXT },
};
const MEMBERS = {
  working: undefined,
  input_required: ["inputRequests", { type: "object", minProperties: 1, additionalProperties: QUESTION }],
  completed: ["result", { type: "object" }],
  failed: ["error", ERROR],
  cancelled: undefined,
} as const;
const TASK = {
  type: "object",
  required: ["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"],
  properties: {
    taskId: TEXT,
    status: { enum: Object.keys(MEMBERS) },
    statusMessage: TEXT,
    createdAt: TIME,
    lastUpdatedAt: TIME,
    ttlMs: { type: ["integer", "null"], minimum: 0 },
    pollIntervalMs: { type: "integer", minimum: 0 },
  },
};
const membersOf = (member: (typeof MEMBERS)[keyof typeof MEMBERS]) => ({
  required: member ? [member[0]] : [],
  properties: Object.fromEntries(
    ["inputRequests", "result", "error"].map((name) => [name, name === member?.[0] ? member[1] : false]),
  ),
});
const DETAILED_TASK = {
  ...TASK,
  allOf: Object.entries(MEMBERS).map(([status, member]) => ({
    anyOf: [membersOf(member), { not: { properties: { status: { const: status } } } }],
  })),
};

/** The `params` of requests and notifications of the extension, by method. */
const PARAMS: Readonly<Record<string, object>> = {
  "tasks/get": { type: "object", required: ["taskId", "_meta"], properties: { taskId: TEXT, _meta: META } },
  "tasks/cancel": { type: "object", required: ["taskId", "_meta"], properties: { taskId: TEXT, _meta: META } },
  "tasks/update": {
    type: "object",
    required: ["taskId", "inputResponses", "_meta"],
    properties: {
      taskId: TEXT,
      inputResponses: { type: "object", additionalProperties: { type: "object" } },
      _meta: META,
    },
  },
  "notifications/tasks": DETAILED_TASK,
};
const EMPTY = {
  type: "object",
  required: ["resultType"],
  properties: { resultType: { const: "complete" }, _meta: { type: "object" } },
  additionalProperties: false,
};
/** The results of the extension, by method. */
const RESULTS: Readonly<Record<string, object>> = {
  "tasks/get": {
    ...DETAILED_TASK,
    required: ["resultType", ...TASK.required],
    properties: { ...TASK.properties, resultType: { const: "complete" } },
  },
  "tasks/cancel": EMPTY,
  "tasks/update": EMPTY,
  "tools/call": {
    ...TASK,
    properties: {
      ...TASK.properties,
      resultType: { const: "task" },
      inputRequests: false,
      result: false,
      error: false,
    },
  },
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
const compile = (schemas: Readonly<Record<string, object>>, wrap: (schema: object) => object) =>
  new Map(Object.entries(schemas).map(([method, schema]) => [method, ajv.compile(wrap(schema))]));
const envelope = (required: readonly string[], properties: object) => ({
  type: "object",
  required: ["jsonrpc", ...required],
  properties: { jsonrpc: { const: "2.0" }, ...properties },
  additionalProperties: false,
});
const requests = compile(PARAMS, (params) => envelope(["id", "method", "params"], { id: ID, method: TEXT, params }));
const notifications = compile(PARAMS, (params) => envelope(["method", "params"], { method: TEXT, params }));
const results = compile(RESULTS, (result) => envelope(["id", "result"], { id: ID, result }));

/** Whether a message belongs to the extension, and not to the specification. */
export function isOfTasksExtension({ kind, method = "", revision, message }: Statement): boolean {
  if (revision !== "2026-07-28" || kind === "error") return false;
  if (method === "tools/call") return "result" in message && message.result.resultType === "task";
  return Object.hasOwn(PARAMS, method);
}

export const tasksExtension: Judge = {
  name: "the tasks extension",
  complaint({ kind, method = "", message, from }) {
    if ((kind === "request") !== (from === "client")) return `the ${from} sends no ${kind} ${method}`;
    const validators = { request: requests, notification: notifications, result: results, error: undefined }[kind];
    const validate = validators?.get(method);
    if (!validate) return `there is no ${kind} ${method}`;
    return validate(message) ? undefined : ajv.errorsText(validate.errors?.slice(0, 4));
  },
};
