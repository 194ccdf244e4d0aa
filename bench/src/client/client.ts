/** The measure "client": what a client costs per call over HTTP, against one server that answers at once. */
import type { Era } from "../contender.js";
import { type Figure, type Measure, takesPart } from "../figure.js";
import { startAll, stopAll } from "../forked.js";
import { interleave } from "../interleave.js";
import type { CallRound } from "./call-in-turn.js";
import type { ClientContender } from "./client-contender.js";
import { startClient } from "./client-process.js";
import { startConstantServer } from "./constant-server.js";
import { CLIENT_CONTENDERS } from "./contenders.js";

interface Plan {
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
}

const FULL: Plan = { rounds: 9, roundMs: 500, warmUpMs: 2_000 };
const QUICK: Plan = { rounds: 3, roundMs: 80, warmUpMs: 700 };

const IN_FLIGHT = [1, 32];

export const client: Measure = {
  name: "client",
  title: "tools/call by a client over HTTP, from a bare server that answers at once",
  notMeasured:
    "Not measured: connecting and its handshake, streamed answers, large payloads, servers that are far away.",
  targets: [{ setting: /32 in flight$/, compare: "of-floor", at: 0.6, label: "throughput" }],
  async run({ quick, only }) {
    const contenders = CLIENT_CONTENDERS.filter((contender) => takesPart(contender, only));
    await using server = await startConstantServer();
    const figures: Figure[] = [];
    for (const era of ["modern", "legacy"] as const) {
      figures.push(...(await measureEra(era, contenders, server.url, quick ? QUICK : FULL)));
    }
    return figures;
  },
};

async function measureEra(
  era: Era,
  contenders: readonly ClientContender[],
  url: string,
  plan: Plan,
): Promise<Figure[]> {
  const able = contenders.filter(({ eras }) => eras.includes(era));
  const clients = await startAll(able, (contender) => startClient(contender, era, url));
  try {
    const figures: Figure[] = [];
    for (const running of clients) await running.round(32, plan.warmUpMs);
    for (const inFlight of IN_FLIGHT) {
      const entries = await interleave(clients, plan.rounds, (running) => running.round(inFlight, plan.roundMs));
      for (const { contender, rounds } of entries) {
        figures.push(...figuresOf(contender.contender, `${era}, ${inFlight} in flight`, rounds));
      }
    }
    return figures;
  } finally {
    await stopAll(clients);
  }
}

function figuresOf({ name, role, note }: ClientContender, setting: string, rounds: readonly CallRound[]): Figure[] {
  const alike = {
    measure: "client",
    contender: name,
    role,
    unit: "calls/s",
    ...(note !== undefined && { note }),
  } as const;
  const rate: Figure = { ...alike, setting, values: rounds.map(({ calls, seconds }) => calls / seconds) };
  const cpuSetting = `${setting}, per second of the client's CPU time`;
  const cpu: Figure = {
    ...alike,
    setting: cpuSetting,
    values: rounds.map(({ calls, cpuSeconds }) => calls / cpuSeconds),
  };
  return setting.includes(" 32 ") ? [rate, cpu] : [rate];
}
