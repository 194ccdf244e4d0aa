/**
 * A contender in a process of its own: what the engine learned about one implementation's code, and the garbage it
 * left, must not slow down the next. `runApart` is the parent's side; forked, this file is the child.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Contender } from "./contender.js";
import { CONTENDERS } from "./contenders.js";
import { type Runner, runHere } from "./rounds.js";

interface RoundRequest {
  readonly concurrency: number;
  readonly cpuMs: number;
}

type Report = "ready" | { readonly rate: number } | { readonly error: string };

/** @throws {Error} here or from `round` if the contender answered wrongly or its process ended. */
export async function runApart(contender: Contender): Promise<Runner> {
  const child = fork(fileURLToPath(import.meta.url), [String(CONTENDERS.indexOf(contender))]);
  const ended = once(child, "exit").then(([code]): [Report] => [{ error: `its process ended with ${code}` }]);
  const report = async (): Promise<Report> => {
    const [answer] = await Promise.race([once(child, "message") as Promise<[Report]>, ended]);
    if (typeof answer === "object" && "error" in answer) {
      throw new Error(`${contender.name}, ${contender.era}: ${answer.error}`);
    }
    return answer;
  };
  await report();
  return {
    contender,
    async round(concurrency, cpuMs) {
      const answer = report();
      child.send({ concurrency, cpuMs } satisfies RoundRequest);
      return ((await answer) as { rate: number }).rate; // Once ready, a child reports rates or errors.
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const contender = CONTENDERS[Number(process.argv[2])];
  if (contender === undefined) throw new Error(`no contender ${process.argv[2]}`);
  const runner = await runHere(contender);
  process.on("message", async ({ concurrency, cpuMs }: RoundRequest) => {
    const report: Report = await runner.round(concurrency, cpuMs).then(
      (rate) => ({ rate }),
      (error: unknown) => ({ error: String(error) }),
    );
    process.send?.(report);
  });
  process.once("disconnect", () => runner[Symbol.asyncDispose]());
  process.send("ready" satisfies Report);
}
