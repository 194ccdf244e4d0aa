/** The servers that the measure "gate" compares: all of them ours, with access tokens and without. */
import type { HttpContender } from "./http-contender.js";

export const GATE_CONTENDERS: readonly HttpContender[] = [
  {
    name: "signed tokens",
    role: "ours",
    modes: ["modern"],
    note: "a JWT of ES256, verified once and then remembered",
    load: async () => ({ serve: (await import("./servers/parley-gate.js")).serveSigned }),
  },
  {
    name: "no tokens",
    role: "floor",
    answersCalls: true,
    modes: ["modern"],
    note: "the same server without authorization",
    load: () => import("./servers/parley.js"),
  },
  {
    name: "introspected tokens",
    role: "reference",
    modes: ["modern"],
    note: "an issuer that answers in process, asked once per minute",
    load: async () => ({ serve: (await import("./servers/parley-gate.js")).serveIntrospected }),
  },
  {
    name: "bound tokens",
    role: "reference",
    modes: ["modern"],
    note: "a JWT that is bound to a key (DPoP), with a proof of ES256 for each request",
    load: async () => ({ serve: (await import("./servers/parley-gate.js")).serveBound }),
  },
];
