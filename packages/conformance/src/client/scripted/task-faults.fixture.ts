/** A fault for each check of modern tasks. */
import type { JsonObject } from "../../wire/json-rpc.js";
import { taskIdOf } from "../areas/played-tasks.js";
import {
  type ClientFault,
  extraMessage,
  messageOf,
  type OutgoingCall,
  onHeader,
  onMessage,
  without,
} from "./client-fault.fixture.js";

/** Sends each poll of a task four times, from the n-th on. */
function pollsOn(tool: string, from: number): ClientFault {
  let count = 0;
  return {
    change: (call) => {
      const { method, params } = messageOf(call);
      if (method !== "tasks/get" || params.taskId !== taskIdOf(tool)) return call;
      count += 1;
      return count < from ? call : [call, call, call, call];
    },
  };
}

/** Calls no further tool once something was sent. */
function endsAfter(isLast: (method: unknown, params: JsonObject) => boolean): ClientFault {
  let isOver = false;
  return without((method, params) => {
    const isDropped = isOver && method === "tools/call";
    isOver ||= isLast(method, params);
    return isDropped;
  });
}

/** Sends the first request with a method once more, changed. */
function alsoSends(method: string, change: (call: OutgoingCall, message: JsonObject) => OutgoingCall): ClientFault {
  let isSent = false;
  return {
    change: (call) => {
      if (isSent || messageOf(call).method !== method) return call;
      isSent = true;
      return [call, change(call, { ...(call.message as JsonObject), id: 900 })];
    },
  };
}

function changedMeta(method: string, change: (meta: JsonObject) => JsonObject): ClientFault {
  return onMessage(method, (message) => {
    const params = message.params as JsonObject;
    return { ...message, params: { ...params, _meta: change(params._meta as JsonObject) } };
  });
}

/** Cancels the call of `hang`, which was answered with a task. */
function cancelsCall(): ClientFault {
  let requestId: unknown;
  return {
    change: (call) => {
      const { method, params } = messageOf(call);
      if (method === "tools/call" && params.name === "hang") requestId = (call.message as JsonObject).id;
      const message = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
      return method === "tasks/cancel" ? [call, { ...call, message }] : call;
    },
  };
}

/** Made anew for each use, since some faults count. */
export function modernTaskFaults(prefix: string): Record<string, ClientFault> {
  const faults: Record<string, ClientFault> = {
    meta: changedMeta("tasks/update", ({ "io.modelcontextprotocol/protocolVersion": _old, ...meta }) => meta),
    declared: changedMeta("tasks/get", (meta) => ({ ...meta, "io.modelcontextprotocol/clientCapabilities": {} })),
    id: alsoSends("tasks/cancel", (call, message) => ({
      ...call,
      headers: { ...call.headers, "mcp-name": "another" },
      message: { ...message, params: { ...(message.params as JsonObject), taskId: "another" } },
    })),
    followed: without((method, { taskId }) => method === "tasks/get" && taskId === taskIdOf("steps")),
    "poll-interval": { off: "waits-poll-interval", also: [`${prefix}-poll-interval-changed`] },
    "poll-interval-changed": { off: "takes-new-interval" },
    "completed-ends": pollsOn("steps", 3),
    "failed-ends": pollsOn("fails", 1),
    "cancelled-ends": pollsOn("stopped", 1),
    "unknown-status-goes-on": endsAfter((_method, { taskId }) => taskId === taskIdOf("rests")),
    "at-once-goes-on": endsAfter((method, { name }) => method === "tools/call" && name === "at-once"),
    answered: without((method) => method === "tasks/update"),
    "answer-form": onMessage("tasks/update", (message) => ({
      ...message,
      params: { ...(message.params as JsonObject), inputResponses: { another: { action: "accept" } } },
    })),
    "answered-once": {
      change: (call) => (messageOf(call).method === "tasks/update" ? [call, call] : call),
    },
    "answers-not-in-calls": extraMessage("tasks/update", { id: 901, method: "tools/call", params: { name: "asks" } }),
    "cancel-sent": without((method) => method === "tasks/cancel"),
    "cancel-not-notified": cancelsCall(),
    "cancel-goes-on": { off: "goes-on-after-giving-up" },
    "other-method": { off: "follows-calls-alone", also: [`${prefix}-id`] },
    "server-decides": onMessage("tools/call", (message) => ({
      ...message,
      params: { ...(message.params as JsonObject), task: { ttl: 60_000 } },
    })),
    "removed-methods": alsoSends("tasks/get", (call, message) => ({
      ...call,
      headers: { ...call.headers, "mcp-method": "tasks/result" },
      message: { ...message, method: "tasks/result" },
    })),
    "method-header": onHeader("tasks/update", "mcp-method", "tasks/get"),
    "version-header": onHeader("tasks/update", "mcp-protocol-version", undefined),
    "name-header": onHeader("tasks/cancel", "mcp-name", undefined),
    "name-encoded": {
      change: (call) =>
        messageOf(call).params.taskId === taskIdOf("named")
          ? { ...call, headers: { ...call.headers, "mcp-name": "tache 1/2" } }
          : call,
    },
  };
  return Object.fromEntries(Object.entries(faults).map(([name, fault]) => [`${prefix}-${name}`, fault]));
}
