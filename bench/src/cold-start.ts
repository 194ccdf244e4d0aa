/** From starting a program to the answer of its first tools/call over stdio. */
import { type Figure, type Measure, type Role, type RunOptions, takesPart } from "./figure.js";
import { interleave } from "./interleave.js";
import { LineLoad } from "./stdio/line-load.js";
import { LineProcess } from "./stdio/line-process.js";
import { STDIO_CONTENDERS, type StdioContender } from "./stdio/stdio-contenders.js";

const TARGET_MS = 40;
/** A single start takes up to a third more or less time than another one of the same program. */
const ROUNDS_EACH_WAY = 24;

interface ColdContender extends StdioContender {
  readonly schemas: "Zod" | "JSON Schema";
}

interface Start {
  readonly ms: number;
  /** CPU time of the program. Undefined where the system does not tell. */
  readonly cpuMs: number | undefined;
}

export const coldStart: Measure = {
  name: "cold-start",
  title: "Cold start: from spawning a program to its first answer over stdio",
  notMeasured:
    "Modules are loaded from disk as they were published. Where the schemas are Zod's, the floor loads Zod, too; where " +
    "they are JSON Schema, it is bare Node. What a start is above the floor is the median of the differences from the start " +
    "of the floor beside it. Not measured: bundled programs, an empty disk cache, package runners.",
  targets: [{ setting: /(?:Zod|JSON Schema)$/, compare: "above-floor", at: TARGET_MS, label: "cold start" }],
  async run({ quick, only }: RunOptions) {
    const contenders = coldContenders().filter((contender) => takesPart(contender, only));
    // The first start of each only fills the disk's cache.
    for (const contender of contenders) await start(contender);
    const roundsEachWay = quick ? 1 : ROUNDS_EACH_WAY;
    // Half of the rounds go backwards, so that ours starts as often before the floor as after it.
    const forwards = await interleave(contenders, roundsEachWay, start);
    const backwards = (await interleave(contenders.toReversed(), roundsEachWay, start)).toReversed();
    return forwards.flatMap(({ contender, rounds: first }, index) => {
      const rounds = [...first, ...(backwards[index]?.rounds ?? [])];
      const cpu = rounds.flatMap(({ cpuMs }) => (cpuMs === undefined ? [] : [cpuMs]));
      const wall = figure(
        contender,
        "",
        rounds.map(({ ms }) => ms),
      );
      return cpu.length === rounds.length ? [wall, figure(contender, ", CPU time", cpu)] : [wall];
    });
  },
};

function figure({ name, role, era, schemas, note }: ColdContender, what: string, values: readonly number[]): Figure {
  const setting = `${era}, ${schemas}${what}`;
  return { measure: "cold-start", setting, contender: name, role, unit: "ms", values, ...(note && { note }) };
}

/**
 * Those with Zod's schemas serve the workload of the other measures; the others need not load a schema library. The floor of a
 * setting follows ours, so that they start one after the other.
 */
export function coldContenders(): ColdContender[] {
  const withZod = STDIO_CONTENDERS.filter(({ role }) => role === "ours" || role === "peer");
  const eras = ["modern", "legacy"] as const;
  return eras.flatMap((era) => {
    const other = (name: string, role: Role, file: string, schemas: ColdContender["schemas"]): ColdContender => {
      return { name, role, era, schemas, program: new URL(`${file}.js`, import.meta.url).pathname };
    };
    const zod = withZod
      .filter((contender) => contender.era === era)
      .map((each) => ({ ...each, schemas: "Zod" as const }));
    return [
      ...zod.filter(({ role }) => role === "ours"),
      other("floor", "floor", "cold-start/programs/floor-zod", "Zod"),
      other("parley", "ours", "cold-start/programs/parley-json-schema", "JSON Schema"),
      other("floor", "floor", "stdio/programs/floor", "JSON Schema"),
      ...zod.filter(({ role }) => role === "peer"),
      other("official v2", "peer", "cold-start/programs/official-v2-json-schema", "JSON Schema"),
    ];
  });
}

async function start(contender: StdioContender): Promise<Start> {
  const startedAt = performance.now();
  await using program = new LineProcess([contender.program]);
  const load = new LineLoad(program, contender);
  await load.open();
  await load.callOnce();
  return { ms: performance.now() - startedAt, cpuMs: program.cpuMs() };
}
