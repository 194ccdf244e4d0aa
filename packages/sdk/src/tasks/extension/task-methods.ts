/** The methods of the extension `io.modelcontextprotocol/tasks`, and the schemas of their tasks. */
import { defineMethod, type MethodDefinition } from "../../routing/method-definition.js";
import type { JsonSchema } from "../../schema/schema.js";

const TEXT = { type: "string" };
const TASK_PROPERTIES = {
  taskId: TEXT,
  status: { enum: ["working", "input_required", "completed", "failed", "cancelled"] },
  statusMessage: TEXT,
  createdAt: TEXT,
  lastUpdatedAt: TEXT,
  ttlMs: { type: ["integer", "null"] },
  pollIntervalMs: { type: "integer" },
};
/** A task without its questions and its outcome. */
export const TASK: JsonSchema = {
  type: "object",
  properties: TASK_PROPERTIES,
  required: ["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"],
};
const QUESTION = { type: "object", properties: { method: TEXT, params: { type: "object" } }, required: ["method"] };
const DETAILS = {
  inputRequests: { type: "object", additionalProperties: QUESTION },
  result: { type: "object" },
  error: {
    type: "object",
    properties: { code: { type: "integer" }, message: TEXT },
    required: ["code", "message"],
  },
};
/** A task with the member that its status calls for. */
export const DETAILED_TASK: JsonSchema = {
  ...TASK,
  properties: { ...TASK_PROPERTIES, ...DETAILS },
  allOf: [
    requiredWith("input_required", "inputRequests"),
    requiredWith("completed", "result"),
    requiredWith("failed", "error"),
  ],
};
const TASK_ID: JsonSchema = { type: "object", properties: { taskId: TEXT }, required: ["taskId"] };
const EMPTY: JsonSchema = { type: "object" };

/** `tasks/get`: the current state of a task, with its questions or its outcome. */
export const getTask: MethodDefinition<JsonSchema, JsonSchema> = defineMethod("tasks/get", {
  params: TASK_ID,
  result: DETAILED_TASK,
  mirrors: "taskId",
});

/** `tasks/update`: answers to questions of a task, by key. */
export const updateTask: MethodDefinition<JsonSchema, JsonSchema> = defineMethod("tasks/update", {
  params: {
    type: "object",
    properties: { taskId: TEXT, inputResponses: { type: "object", additionalProperties: { type: "object" } } },
    required: ["taskId", "inputResponses"],
  },
  result: EMPTY,
  mirrors: "taskId",
});

/** `tasks/cancel`: asks the server to stop a task. */
export const cancelTask: MethodDefinition<JsonSchema, JsonSchema> = defineMethod("tasks/cancel", {
  params: TASK_ID,
  result: EMPTY,
  mirrors: "taskId",
});

function requiredWith(status: string, member: string): JsonSchema {
  const hasStatus = { properties: { status: { const: status } }, required: ["status"] };
  return { anyOf: [{ not: hasStatus }, { required: [member] }] };
}
