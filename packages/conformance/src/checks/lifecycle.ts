/** The handshake of the legacy era, and pings. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import { notApplicable, show, want, wantRefusal, wantResult } from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { describeAnswer, resultOf } from "../target/answer.js";
import { CLIENT_INFO, initializeParams } from "../target/envelope.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";

const FIELDS = ["protocolVersion", "capabilities", "clientInfo"] as const;

function withoutField(field: (typeof FIELDS)[number]): ActiveCheck {
  return {
    id: `initialize-without-${field.toLowerCase()}`,
    requirement: "lifecycle:initialize:invalid-params",
    title: `An initialize without ${field} is refused.`,
    mend: `Require params.${field} in initialize: error -32602.`,
    async run(probe) {
      const { [field]: _left, ...params } = initializeParams(probe.revision);
      const answer = await probe.initialized(params);
      want(answer !== undefined, "an answer", "none");
      wantRefusal(answer);
    },
  };
}

/** The answer to the handshake that opened the shared conversation. */
function openingOf(probe: Probe): JsonObject {
  return wantResult(probe.offer.openingAnswer);
}

async function shakenHands(probe: Probe, protocolVersion: string): Promise<JsonObject> {
  const answer = await probe.initialized(initializeParams(protocolVersion));
  want(answer !== undefined, "an answer to initialize", "none");
  return wantResult(answer);
}

/** The newest legacy revision that the server claims. */
function newestLegacy(probe: Probe): string | undefined {
  return probe.offer.claimed.filter((revision) => revision < "2026-07-28").at(-1);
}

export const lifecycle: CheckArea = {
  area: "lifecycle",
  checks: [
    {
      id: "initialize-revision",
      requirement: "lifecycle:version:match",
      title: "initialize repeats a revision that the server speaks.",
      mend: "Answer with the asked revision if the server speaks it.",
      async run(probe) {
        const { protocolVersion } = await shakenHands(probe, probe.revision);
        want(protocolVersion === probe.revision, probe.revision, protocolVersion);
      },
    },
    {
      id: "initialize-capabilities",
      requirement: "lifecycle:initialize:basic",
      title: "initialize returns the server's capabilities as an object.",
      mend: "Return capabilities, an empty object if there are none.",
      async run(probe) {
        const { capabilities } = await shakenHands(probe, probe.revision);
        want(isObject(capabilities), "an object as capabilities", capabilities);
      },
    },
    {
      id: "initialize-server-info",
      requirement: "lifecycle:initialize:server-info",
      title: "initialize names the server and its version.",
      mend: "Return serverInfo with name and version, both strings.",
      async run(probe) {
        const { serverInfo } = openingOf(probe);
        const isNamed =
          isObject(serverInfo) && typeof serverInfo.name === "string" && typeof serverInfo.version === "string";
        want(isNamed, "name and version", serverInfo);
      },
    },
    {
      id: "initialize-instructions",
      requirement: "lifecycle:initialize:instructions",
      title: "The instructions of initialize are text, if there are any.",
      mend: "Send instructions as a string, or leave them out.",
      async run(probe) {
        const { instructions } = openingOf(probe);
        if (instructions === undefined) notApplicable("the server gives no instructions");
        want(typeof instructions === "string", "a string", instructions);
      },
    },
    {
      id: "initialize-unknown-revision",
      requirement: "lifecycle:version:server-fallback-latest",
      title: "initialize for an unknown revision is answered with a revision that the server speaks.",
      mend: "Answer with the newest legacy revision instead of an error.",
      async run(probe) {
        const { protocolVersion } = await shakenHands(probe, "1999-01-01");
        want(
          probe.offer.claimed.some((revision) => revision === protocolVersion),
          show(probe.offer.claimed),
          protocolVersion,
        );
      },
    },
    {
      id: "initialize-newest-revision",
      requirement: "lifecycle:version:server-fallback-latest",
      atMost: "warning",
      title: "initialize for an unknown revision is answered with the newest that the server speaks.",
      mend: "Offer the newest legacy revision, not the oldest.",
      async run(probe) {
        const { protocolVersion } = await shakenHands(probe, "2099-01-01");
        const isSpoken = probe.offer.claimed.some((revision) => revision === protocolVersion);
        if (!isSpoken) notApplicable("the answer names no revision that the server speaks");
        want(protocolVersion === newestLegacy(probe), String(newestLegacy(probe)), protocolVersion);
      },
    },
    ...FIELDS.map(withoutField),
    {
      id: "initialize-extra-fields",
      requirement: "lifecycle:capability:experimental-passthrough",
      title: "initialize with experimental capabilities and unknown members is answered.",
      mend: "Ignore members that the server does not know.",
      until: "2025-11-25",
      async run(probe) {
        const params = {
          protocolVersion: probe.revision,
          capabilities: { experimental: { "parley-check": {} }, unheard: {} },
          clientInfo: { ...CLIENT_INFO, extra: true },
          extra: true,
        };
        const answer = await probe.initialized(params);
        want(answer !== undefined, "a result", "none");
        want(resultOf(answer) !== undefined, "a result", describeAnswer(answer));
      },
    },
    {
      id: "initialize-twice",
      requirement: "lifecycle:initialize:invalid-params",
      title: "A refused initialize can be followed by a valid one.",
      mend: "Change nothing when initialize is refused.",
      async run(probe) {
        const peer = await probe.fresh({ initialize: { protocolVersion: 1 } });
        if (peer.opening && resultOf(peer.opening)) notApplicable("the server does not refuse the first one");
        wantResult(await peer.request("initialize", initializeParams(probe.revision)));
      },
    },
    {
      id: "ping-answered",
      requirement: "ping:client-to-server",
      title: "A ping is answered with an empty result.",
      mend: "Answer ping with {}.",
      async run(probe) {
        const result = wantResult(await probe.ask("ping"));
        const extra = Object.keys(result).filter((key) => key !== "_meta");
        want(extra.length === 0, "an empty result", extra);
      },
    },
    {
      id: "ping-before-initialize",
      requirement: "ping:before-initialize",
      title: "A ping before the handshake is answered.",
      mend: "Serve ping in every state of the connection.",
      over: "stdio",
      async run(probe) {
        wantResult(await probe.unopened("ping"));
      },
    },
    {
      id: "legacy-meta-ignored",
      requirement: "lifecycle:dual-era:legacy-meta-unchecked",
      title: "A legacy request with unknown _meta keys is served.",
      mend: "Ignore _meta keys that the server does not know.",
      async run(probe) {
        wantResult(await probe.ask("ping", { _meta: { "com.example/odd": [1] } }));
      },
    },
    {
      id: "server-waits",
      requirement: "lifecycle:server-waits-for-initialized",
      title: "The server sends no request but ping with the answer to initialize.",
      mend: "Wait for notifications/initialized before the server asks anything.",
      async run(probe) {
        const answer = await probe.initialized(initializeParams(probe.revision));
        const asked = answer?.messages.find((message) => isObject(message) && "method" in message && "id" in message);
        want(asked === undefined || (isObject(asked) && asked.method === "ping"), "no request", asked);
      },
    },
  ],
};
