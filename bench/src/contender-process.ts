/** A contender of the measure "in-process" in a process of its own. */
import { fileURLToPath } from "node:url";
import type { Contender } from "./contender.js";
import { CONTENDERS } from "./contenders.js";
import { answerParent, Forked } from "./forked.js";
import { type Runner, runHere } from "./rounds.js";

interface RoundQuestion {
  readonly concurrency: number;
  readonly cpuMs: number;
}

/** @throws {Error} here or from `round` if the contender answered wrongly or its process ended. */
export async function runApart(contender: Contender): Promise<Runner> {
  const { name, era } = contender;
  const args = [String(CONTENDERS.indexOf(contender))];
  const [child] = await Forked.start(`${name}, ${era}`, new URL(import.meta.url), args);
  return {
    contender,
    round: (concurrency, cpuMs) => child.ask<number>({ concurrency, cpuMs } satisfies RoundQuestion),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const contender = CONTENDERS[Number(process.argv[2])];
  if (contender === undefined) throw new Error(`no contender ${process.argv[2]}`);
  const runner = await runHere(contender);
  answerParent<RoundQuestion>("ready", ({ concurrency, cpuMs }) => runner.round(concurrency, cpuMs));
}
