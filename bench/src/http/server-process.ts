/** A contender's server in a process of its own, which also knows how much CPU time it has used. */
import { fileURLToPath } from "node:url";
import { answerParent, Forked } from "../forked.js";
import { type Catalog, toolsOf } from "../tools.js";
import { HTTP_CONTENDERS } from "./contenders.js";
import { GATE_CONTENDERS } from "./gate-contenders.js";
import type { HttpContender, HttpMode, Listening } from "./http-contender.js";
import { TASK_CONTENDERS } from "./task-contenders.js";

/** What a server tells once it listens. */
type Ready = Pick<Listening, "url" | "headers" | "proofKey">;

export interface RunningServer extends AsyncDisposable, Ready {
  readonly contender: HttpContender;
  /** Since its start. */
  cpuSeconds(): Promise<number>;
}

export async function startServer(contender: HttpContender, mode: HttpMode, catalog: Catalog): Promise<RunningServer> {
  const args = [contender.name, mode, catalog];
  const [child, ready] = await Forked.start<Ready>(`${contender.name}, ${mode}`, new URL(import.meta.url), args);
  return {
    contender,
    ...ready,
    cpuSeconds: () => child.ask<number>({}),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, mode, catalog] = process.argv.slice(2);
  const contenders = [...HTTP_CONTENDERS, ...GATE_CONTENDERS, ...TASK_CONTENDERS];
  const contender = contenders.find((candidate) => candidate.name === name);
  if (contender === undefined) throw new Error(`no contender ${name}`);
  const { serve } = await contender.load();
  const { url, headers, proofKey } = await serve(mode as HttpMode, toolsOf(catalog as Catalog)); // What startServer passed.
  answerParent({ url, headers, proofKey }, () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
}
