/** A client in a process of its own, which calls as fast as it is answered and tells what that took. */
import { fileURLToPath } from "node:url";
import type { Era } from "../contender.js";
import { answerParent, Forked } from "../forked.js";
import { type CallRound, callInTurn } from "./call-in-turn.js";
import type { ClientContender } from "./client-contender.js";
import { JOB } from "./constant-server.js";
import { CLIENT_CONTENDERS } from "./contenders.js";

interface RoundQuestion {
  readonly inFlight: number;
  readonly ms: number;
}

export interface RunningClient extends AsyncDisposable {
  readonly contender: ClientContender;
  round(inFlight: number, ms: number): Promise<CallRound>;
}

export async function startClient(contender: ClientContender, era: Era, url: string): Promise<RunningClient> {
  const { name } = contender;
  const [child] = await Forked.start(`${name}, ${era}`, new URL(import.meta.url), [name, era, url]);
  return {
    contender,
    round: (inFlight, ms) => child.ask<CallRound>({ inFlight, ms } satisfies RoundQuestion),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, era, url = ""] = process.argv.slice(2);
  const contender = CLIENT_CONTENDERS.find((candidate) => candidate.name === name);
  if (contender === undefined) throw new Error(`no contender ${name}`);
  const { connect } = await contender.load();
  const session = await connect(url, era as Era); // What startClient passed.
  answerParent<RoundQuestion>("ready", ({ inFlight, ms }) => callInTurn(session, JOB, inFlight, ms));
}
