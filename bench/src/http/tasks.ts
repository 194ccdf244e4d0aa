/** The measure "tasks": what a task costs a call over HTTP. A client sends two requests: one that creates it, one for its result. */
import type { Figure, Measure } from "../figure.js";
import { type HttpPlan, measureMode } from "./http-rounds.js";
import { AS_TASK, TASK_CONTENDERS } from "./task-contenders.js";

const FULL: HttpPlan = {
  measure: "tasks",
  method: "tools/call",
  catalog: "one tool",
  connections: [32],
  rounds: 9,
  roundMs: 500,
  warmUpMs: 2_000,
  tailAt: [],
  cpuAt: [32],
};
const QUICK: HttpPlan = { ...FULL, rounds: 3, roundMs: 100, warmUpMs: 500 };

const REQUESTS_PER_TASK = 2;

export const tasks: Measure = {
  name: "tasks",
  title: "tools/call over HTTP as a task, in memory, against a plain call",
  notMeasured: "Not measured: tasks in a file or in Redis, polls of tasks that still run, questions of a task.",
  targets: [],
  async run({ quick }) {
    const plan = quick ? QUICK : FULL;
    const figures: Figure[] = [];
    for (const mode of ["modern", "legacy sessions"] as const) {
      figures.push(...(await measureMode(mode, TASK_CONTENDERS, plan)).map(perCall));
    }
    return figures;
  },
};

/** The load counts requests. */
function perCall(figure: Figure): Figure {
  if (figure.contender !== AS_TASK) return figure;
  return { ...figure, values: figure.values.map((rate) => rate / REQUESTS_PER_TASK) };
}
