/** The measure "gate": what access tokens cost a call over HTTP, and what the proof of a bound token costs. */
import { protectedResource } from "parley-mcp/oauth/resource";
import type { Figure, Measure } from "../figure.js";
import { GATE_CONTENDERS } from "./gate-contenders.js";
import { type HttpPlan, measureMode } from "./http-rounds.js";
import { claims, issuerOptions } from "./servers/parley-gate.js";
import { digest, Signer } from "./signer.js";

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

const PROOFS = 500;

export const gate: Measure = {
  name: "gate",
  title: "tools/call over HTTP with access tokens",
  notMeasured:
    "Not measured: the first request of each token, issuers that are far away, many different tokens at a time.",
  // At most 15% more of the server's CPU time per call.
  targets: [{ setting: /CPU time$/, compare: "of-floor", at: 0.87, label: "calls by CPU time" }],
  async run({ quick }) {
    const plan = quick ? QUICK : FULL;
    return [...(await measureMode("modern", GATE_CONTENDERS, plan)), await proofFigure(plan.rounds)];
  },
};

/** The CPU time of a check of a token with its proof, which every request of a bound token needs. */
async function proofFigure(rounds: number): Promise<Figure> {
  const signer = await Signer.create();
  const options = issuerOptions(signer.jwk);
  const resource = protectedResource(options);
  const token = await signer.sign({}, { ...claims(), cnf: { jkt: await signer.thumbprint() } });
  const values: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const requests = await Promise.all(Array.from({ length: PROOFS }, () => proven(signer, token, options.resource)));
    const before = process.cpuUsage();
    for (const request of requests) {
      const checked = await resource.check(request);
      if (checked instanceof Response) throw new Error(`expected a valid proof, got status ${checked.status}`);
    }
    const { user, system } = process.cpuUsage(before);
    values.push((user + system) / 1_000 / PROOFS);
  }
  const setting = "one check of a bound token and its proof";
  return { measure: "gate", setting, contender: "bound tokens", role: "reference", unit: "ms", values };
}

async function proven(signer: Signer, token: string, url: string): Promise<Request> {
  const header = { typ: "dpop+jwt", jwk: signer.jwk };
  const proof = { htm: "POST", htu: url, ath: await digest(token), jti: crypto.randomUUID() };
  const iat = Math.floor(Date.now() / 1_000);
  const dpop = await signer.sign(header, { ...proof, iat });
  return new Request(url, { method: "POST", headers: { authorization: `DPoP ${token}`, dpop } });
}
