import type { JsonRpcMessage } from "parley-mcp/testing";
import { expect, test } from "vitest";
import type { Statement } from "./statement.js";
import { wireComplaints } from "./wire-judge.js";

const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const time = "2026-07-28T00:00:00.000Z";
const task = { taskId: "t1", status: "working", createdAt: time, lastUpdatedAt: time, ttlMs: null };
const question = { method: "elicitation/create", params: {} };

/** The complaints about the answer to a request of the extension. */
function answered(method: string, result: object): string[] {
  return heard(["client", { id: 1, method, params: { taskId: "t1", _meta } }], ["server", { id: 1, result }]);
}

function heard(...entries: [Statement["from"], object][]): string[] {
  const log = entries.map(([from, message]) => ({ from, message: { jsonrpc: "2.0", ...message } as JsonRpcMessage }));
  return wireComplaints({ entries: log, judged: ["client", "server"] }, "2026-07-28");
}

const get = (members: object) => answered("tasks/get", { ...task, resultType: "complete", ...members });

test.each([
  {},
  { ttlMs: 1, pollIntervalMs: 1, statusMessage: "half" },
  { status: "input_required", inputRequests: { a: question } },
  { status: "completed", result: {} },
  { status: "failed", error: { code: -1, message: "" } },
  { status: "cancelled" },
])("a task with %j is valid", (members) => expect(get(members)).toEqual([]));

test.each([
  [{ status: "done" }, "must be equal to one of"],
  [{ resultType: "task" }, "resultType"],
  [{ createdAt: "today" }, "createdAt"],
  [{ ttlMs: undefined, ttl: 1 }, "ttlMs"],
  [{ pollIntervalMs: 0.5 }, "pollIntervalMs"],
  [{ result: {} }, "result"],
  [{ status: "completed" }, "result"],
  [{ status: "failed", result: {} }, "error"],
  [{ status: "input_required", inputRequests: {} }, "inputRequests"],
  [{ status: "input_required", inputRequests: { a: { method: "ping" } } }, "inputRequests"],
])("a task with %j is not", (members, complaint) => expect(get(members).join()).toContain(complaint));

test.each(["tasks/update", "tasks/cancel"])("the result of %s is empty", (method) => {
  const given = method === "tasks/update" ? { inputResponses: {} } : {};
  const asked = { id: 1, method, params: { taskId: "t1", _meta, ...given } };
  expect(heard(["client", asked], ["server", { id: 1, result: { resultType: "complete" } }])).toEqual([]);
  expect(heard(["client", asked], ["server", { id: 1, result: { resultType: "complete", ...task } }])).toHaveLength(1);
});

test("a request of the extension has its params and comes from the client", () => {
  expect(heard(["client", { id: 1, method: "tasks/get", params: { _meta } }]).join()).toContain("taskId");
  expect(heard(["client", { id: 1, method: "tasks/update", params: { taskId: "t1", _meta } }]).join()).toContain(
    "inputResponses",
  );
  const asked = { id: 1, method: "tasks/get", params: { taskId: "t1", _meta } };
  expect(heard(["server", asked])[0]).toContain("the server sends no request");
});

test("a notification is a task, and the answer to a call is one without its outcome", () => {
  const notify = (params: object) => heard(["server", { method: "notifications/tasks", params: { ...params, _meta } }]);
  expect(notify(task)).toEqual([]);
  expect(notify({ ...task, status: "completed" })).toHaveLength(1);
  const call = (result: object) =>
    heard(
      ["client", { id: 1, method: "acme/none", params: { _meta } }],
      ["client", { id: 2, method: "tools/call", params: { name: "a", _meta } }],
      ["server", { id: 2, result }],
    ).filter((complaint) => complaint.startsWith("the tasks extension"));
  expect(call({ ...task, resultType: "task" })).toEqual([]);
  expect(call({ ...task, resultType: "task", status: "completed", result: {} })).toHaveLength(1);
});
