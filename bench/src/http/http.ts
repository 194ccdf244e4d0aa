/** The measure "http": `tools/call` over HTTP, in every mode, over few and many connections. */
import { type Figure, type Measure, takesPart } from "../figure.js";
import { HTTP_CONTENDERS } from "./contenders.js";
import type { HttpMode } from "./http-contender.js";
import { type HttpPlan, measureMode } from "./http-rounds.js";

const FULL: HttpPlan = {
  measure: "http",
  method: "tools/call",
  catalog: "one tool",
  connections: [1, 32, 256],
  rounds: 9,
  roundMs: 500,
  warmUpMs: 2_000,
  tailAt: [256],
  cpuAt: [32],
};
const QUICK: HttpPlan = { ...FULL, connections: [32, 256], rounds: 3, roundMs: 50, warmUpMs: 500 };

const MODES: readonly HttpMode[] = ["modern", "legacy stateless", "legacy sessions"];

export const http: Measure = {
  name: "http",
  title: "tools/call over HTTP: one tool, Zod input and output, both validated",
  notMeasured:
    "Not measured: TLS, proxies, compression and other machines; streamed answers; large payloads; servers on more than one core.",
  targets: [
    { setting: /^(modern|legacy stateless), 32 connections$/, compare: "of-floor", at: 0.75, label: "throughput" },
    { setting: "legacy sessions, 32 connections", compare: "of-floor", at: 0.7, label: "throughput" },
    { setting: /256 connections, p99$/, compare: "times-floor", at: 2, label: "tail latency" },
  ],
  async run({ quick, only }) {
    const contenders = HTTP_CONTENDERS.filter((contender) => takesPart(contender, only));
    const figures: Figure[] = [];
    for (const mode of MODES) figures.push(...(await measureMode(mode, contenders, quick ? QUICK : FULL)));
    return figures;
  },
};
