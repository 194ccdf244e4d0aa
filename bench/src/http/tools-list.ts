/** The measure "tools-list": `tools/list` over HTTP of a server with very many tools, in one page. */
import { type Figure, type Measure, takesPart } from "../figure.js";
import { MANY } from "../tools.js";
import { HTTP_CONTENDERS } from "./contenders.js";
import { type HttpPlan, measureMode } from "./http-rounds.js";

const FULL: HttpPlan = {
  measure: "tools-list",
  method: "tools/list",
  catalog: "many tools",
  connections: [2],
  rounds: 9,
  roundMs: 1_000,
  warmUpMs: 2_000,
  tailAt: [],
  cpuAt: [2],
};
const QUICK: HttpPlan = { ...FULL, rounds: 2, roundMs: 60, warmUpMs: 100 };

export const toolsList: Measure = {
  name: "tools-list",
  title: `tools/list over HTTP, ${MANY.toLocaleString("en-US")} tools with Zod input and output in one page`,
  notMeasured: "Not measured: more than one page, compression, lists that change between calls.",
  targets: [{ setting: /2 connections$/, compare: "of-floor", at: 0.85, label: "throughput" }],
  async run({ quick, only }) {
    const contenders = HTTP_CONTENDERS.filter(
      (contender) => takesPart(contender, only) && contender.methods?.includes("tools/list") !== false,
    );
    const figures: Figure[] = [];
    for (const mode of ["modern", "legacy sessions"] as const) {
      figures.push(...(await measureMode(mode, contenders, quick ? QUICK : FULL)));
    }
    return figures;
  },
};
