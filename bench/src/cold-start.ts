/** From starting a program to the answer of its first tools/call over stdio. */
import { type Figure, type Measure, type Role, type RunOptions, takesPart } from "./figure.js";
import { interleave } from "./interleave.js";
import { LineLoad } from "./stdio/line-load.js";
import { LineProcess } from "./stdio/line-process.js";
import { STDIO_CONTENDERS, type StdioContender } from "./stdio/stdio-contenders.js";

const TARGET_MS = 40;

interface ColdContender extends StdioContender {
  readonly schemas: "Zod" | "JSON Schema";
}

export const coldStart: Measure = {
  name: "cold-start",
  title: "Cold start: from spawning a program to its first answer over stdio",
  notMeasured:
    "Modules are loaded from disk as they were published. Where the schemas are Zod's, the floor loads Zod, too; where " +
    "they are JSON Schema, it is bare Node. Not measured: bundled programs, an empty disk cache, package runners.",
  targets: [{ setting: /./, compare: "above-floor", at: TARGET_MS, label: "cold start" }],
  async run({ quick, only }: RunOptions) {
    const contenders = coldContenders().filter((contender) => takesPart(contender, only));
    // The first start of each only fills the disk's cache.
    for (const contender of contenders) await firstAnswerMs(contender);
    const entries = await interleave(contenders, quick ? 2 : 15, firstAnswerMs);
    return entries.map(
      ({ contender: { name, role, era, schemas, note }, rounds }): Figure => ({
        measure: "cold-start",
        setting: `${era}, ${schemas}`,
        contender: name,
        role,
        unit: "ms",
        values: rounds,
        ...(note !== undefined && { note }),
      }),
    );
  },
};

/** Those with Zod's schemas serve the workload of the other measures; the others need not load a schema library. */
export function coldContenders(): ColdContender[] {
  const withZod = STDIO_CONTENDERS.filter(({ role }) => role === "ours" || role === "peer");
  const eras = ["modern", "legacy"] as const;
  return eras.flatMap((era) => {
    const other = (name: string, role: Role, file: string, schemas: ColdContender["schemas"]): ColdContender => {
      return { name, role, era, schemas, program: new URL(`${file}.js`, import.meta.url).pathname };
    };
    return [
      ...withZod.filter((contender) => contender.era === era).map((each) => ({ ...each, schemas: "Zod" as const })),
      other("floor", "floor", "cold-start/programs/floor-zod", "Zod"),
      other("parley", "ours", "cold-start/programs/parley-json-schema", "JSON Schema"),
      other("official v2", "peer", "cold-start/programs/official-v2-json-schema", "JSON Schema"),
      other("floor", "floor", "stdio/programs/floor", "JSON Schema"),
    ];
  });
}

async function firstAnswerMs(contender: StdioContender): Promise<number> {
  const startedAt = performance.now();
  await using program = new LineProcess([contender.program]);
  const load = new LineLoad(program, contender);
  await load.open();
  await load.callOnce();
  return performance.now() - startedAt;
}
