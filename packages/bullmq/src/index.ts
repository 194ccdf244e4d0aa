/** `@parley-mcp/bullmq`: tasks as jobs of BullMQ. */
export { BullmqTaskRunner, type BullmqTaskRunnerOptions } from "./bullmq-task-runner.js";
export type { TaskQueueOptions } from "./queue-settings.js";
export { type TaskWorker, type WorkTasksOptions, workTasks } from "./work-tasks.js";
