/** The measure "gate": what access tokens cost a call over HTTP: remembered, introspected, or bound to a key with a proof. */
import type { Figure, Measure } from "../figure.js";
import { GATE_CONTENDERS } from "./gate-contenders.js";
import { type HttpPlan, measureMode } from "./http-rounds.js";

const FULL: HttpPlan = {
  measure: "gate",
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

const CPU = /per second of the server's CPU time$/;

export const gate: Measure = {
  name: "gate",
  title: "tools/call over HTTP with access tokens",
  notMeasured:
    "Not measured: the first request of each token, issuers that are far away, many different tokens at a time.",
  // At most 15% more of the server's CPU time per call.
  targets: [{ setting: /CPU time$/, compare: "of-floor", at: 0.87, label: "calls by CPU time" }],
  async run({ quick }) {
    const plan = quick ? QUICK : FULL;
    return (await measureMode("modern", GATE_CONTENDERS, plan)).flatMap(perCall);
  },
};

/** The same rounds as the CPU time that one call takes. */
function perCall(figure: Figure): Figure[] {
  const { setting, values } = figure;
  if (!CPU.test(setting)) return [figure];
  const cost = { setting: setting.replace(CPU, "CPU time per call"), values: values.map((rate) => 1_000 / rate) };
  return [figure, { ...figure, ...cost, unit: "ms" }];
}
