/** The load in a process of its own, so that neither servers nor the bookkeeping share a core's time with it. */
import { fileURLToPath } from "node:url";
import { answerParent, Forked } from "../forked.js";
import { Load, type LoadRound } from "./load.js";
import type { LoadTarget } from "./requests.js";

type Question = { readonly prepare: LoadTarget } | { readonly round: number; readonly ms: number };

export interface LoadProcess extends AsyncDisposable {
  /** Opens what the target needs; the number names it from then on. */
  prepare(target: LoadTarget): Promise<number>;
  round(load: number, ms: number): Promise<LoadRound>;
}

export async function startLoad(): Promise<LoadProcess> {
  const [child] = await Forked.start("load", new URL(import.meta.url), []);
  const ask = <Answer>(question: Question) => child.ask<Answer>(question);
  return {
    prepare: (target) => ask<number>({ prepare: target }),
    round: (load, ms) => ask<LoadRound>({ round: load, ms }),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const loads: Load[] = [];
  answerParent<Question>("ready", async (question) => {
    if ("prepare" in question) return loads.push(await Load.prepare(question.prepare)) - 1;
    const load = loads[question.round];
    if (load === undefined) throw new Error(`no load ${question.round} was prepared`);
    return load.round(question.ms);
  });
}
