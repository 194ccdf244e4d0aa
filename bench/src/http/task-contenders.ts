/** The servers that the measure "tasks" compares: ours, with a tool that runs as a task and with a plain one. */
import type { HttpContender, HttpMode } from "./http-contender.js";

const MODES: readonly HttpMode[] = ["modern", "legacy sessions"];

export const AS_TASK = "as a task";

export const TASK_CONTENDERS: readonly HttpContender[] = [
  {
    name: AS_TASK,
    role: "ours",
    callsTasks: true,
    modes: MODES,
    note: "each call becomes a task, which is stored, run and read with tasks/get or, in 2025-11-25, tasks/result",
    load: () => import("./servers/parley-tasks.js"),
  },
  {
    name: "plain call",
    role: "floor",
    answersCalls: true,
    modes: MODES,
    note: "the same tool without tasks",
    load: () => import("./servers/parley.js"),
  },
];
