/** The errors for authors who use tasks on a server without them. */
import { SdkError } from "../../errors/sdk-error.js";

const ADVICE = 'write new McpServer({ …, tasks: serveTasks() }) with import { serveTasks } from "parley-mcp/tasks"';

/** For a tool with the option `task`. */
export function tasksMissing(owner: string): SdkError {
  return new SdkError("invalid-argument", `${owner}: task: the server runs no tasks; ${ADVICE}`);
}

/** For an option `tasks` that is not the value of `serveTasks`. */
export function notServeTasks(given: string): SdkError {
  return new SdkError("invalid-argument", `McpServer: tasks: expected serveTasks(), got ${given}; ${ADVICE}`);
}

/** For methods that workers of a queue call. */
export function taskStoreMissing(method: "runTask" | "recoverTasks"): SdkError {
  const complaint = `${method}: the server shares its tasks with no other process; give it tasks: serveTasks({ store })`;
  return new SdkError("invalid-argument", complaint);
}
