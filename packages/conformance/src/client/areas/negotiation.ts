/** How a client finds the era and the revision of a server. */
import { notObserved } from "../../judge/expectations.js";
import type { PlayedReply } from "../../wire/http-listener.js";
import { answer, empty, refuse } from "../replies.js";
import type { ClientArea, ClientCheck, Scenario } from "../scenario.js";
import { afterHandshake, requestsOf, wantOf } from "../sighting.js";

/** A server that answers its probe in one way. */
function probed(name: string, summary: string, probe: (id: unknown) => PlayedReply): Scenario {
  return {
    name,
    revisions: ["2025-11-25"],
    summary,
    script: () => ({
      intercept: (sighting) => {
        const [request] = requestsOf([sighting], "server/discover");
        return request ? probe(request.message.id) : undefined;
      },
    }),
  };
}

/** A probe that was answered so leads to initialize, or must not. */
function probeCheck(name: string, requirement: string, isFollowed: boolean, title: string): ClientCheck {
  return {
    id: `client-${name}`,
    scenario: name,
    revisions: ["2025-11-25"],
    requirement,
    needsBothEras: isFollowed,
    // Over HTTP the step is a MAY.
    atMost: "warning",
    title,
    mend: isFollowed ? "Send initialize after such an answer." : "Report the error instead of sending initialize.",
    judge: (seen) => {
      const [probe] = requestsOf(seen, "server/discover");
      if (!probe) notObserved("the client sent no probe");
      const [handshake] = requestsOf(seen, "initialize");
      const got = handshake ? "initialize" : "no initialize";
      wantOf(
        [probe.sighting, handshake?.sighting],
        (handshake !== undefined) === isFollowed,
        isFollowed ? "initialize" : "no initialize",
        got,
      );
    },
  };
}

const PROBES: readonly [
  name: string,
  requirement: string,
  isFollowed: boolean,
  title: string,
  probe: (id: unknown) => PlayedReply,
][] = [
  [
    "probe-404",
    "client-transport:http:probe-fallback",
    true,
    "A probe answered with a bare 404 is followed by initialize.",
    () => empty(404),
  ],
  [
    "probe-400",
    "client-transport:http:probe-fallback",
    true,
    "A probe answered with 400 and text is followed by initialize.",
    () => ({ status: 400, headers: { "content-type": "text/plain" }, body: "Bad Request" }),
  ],
  [
    "probe-unknown-method",
    "lifecycle:discover:fallback-method-not-found",
    true,
    "A probe answered with -32601 is followed by initialize.",
    (id) => refuse(200, id, -32601, "Method not found"),
  ],
  [
    "probe-other-error",
    "lifecycle:discover:fallback-method-not-found",
    true,
    "A probe answered with an error of the server's own is followed by initialize.",
    (id) => refuse(400, id, -32000, "Server not initialized"),
  ],
  [
    "probe-supported",
    "lifecycle:discover:retry-on-32022",
    true,
    "A probe answered with -32022 and a legacy revision is followed by initialize.",
    (id) => refuse(400, id, -32022, "Unsupported", { supported: ["2025-11-25"], requested: "2026-07-28" }),
  ],
  [
    "probe-unsupported",
    "lifecycle:discover:no-fallback-on-modern-error",
    false,
    "A probe answered with -32022 and no shared revision ends connecting.",
    (id) => refuse(400, id, -32022, "Unsupported", { supported: ["2099-01-01"], requested: "2026-07-28" }),
  ],
  [
    "probe-header-mismatch",
    "lifecycle:discover:no-fallback-on-modern-error",
    false,
    "A probe answered with -32020 ends connecting.",
    (id) => refuse(400, id, -32020, "Header mismatch"),
  ],
  [
    "probe-capability",
    "lifecycle:discover:no-fallback-on-modern-error",
    false,
    "A probe answered with -32021 ends connecting.",
    (id) => refuse(400, id, -32021, "Missing capability", { requiredCapabilities: {} }),
  ],
];

export const negotiation: ClientArea = {
  area: "client-negotiation",
  scenarios: [
    ...PROBES.map(([name, , , title, probe]) => probed(name, `A legacy server. ${title}`, probe)),
    {
      name: "unknown-revision",
      revisions: ["2025-11-25"],
      summary: "A legacy server that answers initialize with a revision nobody asked for.",
      script: () => ({
        answers: {
          initialize: (request) =>
            answer(request, {
              protocolVersion: "2099-01-01",
              capabilities: { tools: {} },
              serverInfo: { name: "parley-check", version: "0.0.0" },
            }),
        },
        hasNoSessions: true,
      }),
    },
  ],
  checks: [
    ...PROBES.map(([name, requirement, isFollowed, title]) => probeCheck(name, requirement, isFollowed, title)),
    {
      id: "client-unknown-revision",
      scenario: "unknown-revision",
      requirement: "lifecycle:version:reject-unsupported",
      title: "A client that is answered with a revision that it does not speak sends no request.",
      mend: "Disconnect if the client does not speak the revision of the answer.",
      judge: (seen) => {
        const [late] = requestsOf(afterHandshake(seen));
        wantOf([late?.sighting], late === undefined, "no request", late?.method);
      },
    },
  ],
};
