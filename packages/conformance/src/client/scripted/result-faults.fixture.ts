/** A fault for each check of kept results and of tasks. */
import { isObject, type JsonObject } from "../../wire/json-rpc.js";
import { type ClientFault, onMessage } from "./client-fault.fixture.js";

/** Reads a resource from a cache from the n-th time on. */
function served(uri: string, from: number): ClientFault {
  let count = 0;
  return {
    change: (call) => {
      const { method, params } = (call.message ?? {}) as JsonObject;
      if (method !== "resources/read" || !isObject(params) || params.uri !== uri || "inputResponses" in params)
        return call;
      count += 1;
      return count < from ? call : undefined;
    },
  };
}

/** Another `task` in the calls of a tool. */
function onTask(tool: string, task: JsonObject | undefined): ClientFault {
  return onMessage("tools/call", (message) => {
    const params = message.params as JsonObject;
    if (params.name !== tool) return message;
    const { task: _old, ...rest } = params;
    return { ...message, params: task === undefined ? rest : { ...rest, task } };
  });
}

/** Made anew for each use, since some faults count. */
export function resultFaults(): Record<string, ClientFault> {
  return {
    "client-cache-key": served("note://other", 1),
    "client-cache-stale": served("note://stale", 2),
    "client-cache-negative": served("note://negative", 2),
    "client-cache-rounds": served("note://asked", 2),
    "client-task-forbidden": onTask("no-task", { ttl: 1000 }),
    "client-task-undeclared": onTask("weather", { ttl: 1000 }),
    "client-task-required": onTask("needs-task", undefined),
    "client-task-id": onMessage("tasks/get", (message) => ({ ...message, params: { taskId: "another" } })),
    "client-task-result": {
      change: (call) => ((call.message as JsonObject | undefined)?.method === "tasks/result" ? undefined : call),
    },
  };
}
