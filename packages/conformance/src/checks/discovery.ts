/** `server/discover`, and how a modern server refuses revisions that it does not speak. */
import type { CheckArea } from "../judge/check.js";
import { notApplicable, show, want, wantError, wantRefusal, wantResult, wantStatus } from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { describeAnswer, errorOf } from "../target/answer.js";
import { REVISION_KEY, SERVER_INFO_KEY } from "../target/envelope.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";

const UNKNOWN_REVISION = "1999-01-01";

async function discovered(probe: Probe): Promise<JsonObject> {
  return wantResult(await probe.askOnce("server/discover"));
}

/** The answer to a request in a revision that no server speaks. */
async function refused(probe: Probe) {
  return probe.ask("server/discover", {}, { meta: { [REVISION_KEY]: UNKNOWN_REVISION } });
}

async function refusalData(probe: Probe): Promise<JsonObject> {
  const error = errorOf(await refused(probe));
  if (error?.code !== -32022) notApplicable("the server does not refuse an unknown revision with -32022");
  return isObject(error.data) ? error.data : {};
}

export const discovery: CheckArea = {
  area: "discovery",
  checks: [
    {
      id: "discover-versions-listed",
      requirement: "lifecycle:discover:basic",
      title: "server/discover lists the revision that it was asked in.",
      mend: "Put every revision that the server speaks into supportedVersions, as strings.",
      async run(probe) {
        const { supportedVersions } = await discovered(probe);
        const isRight = Array.isArray(supportedVersions) && supportedVersions.includes(probe.revision);
        want(isRight, `supportedVersions with ${probe.revision}`, supportedVersions);
      },
    },
    {
      id: "discover-versions-strings",
      requirement: "lifecycle:discover:basic",
      title: "Every entry of supportedVersions is a date.",
      mend: "List revisions as strings of the form YYYY-MM-DD.",
      async run(probe) {
        const { supportedVersions } = await discovered(probe);
        const versions = Array.isArray(supportedVersions) ? supportedVersions : [];
        const odd = versions.find((version) => !/^\d{4}-\d{2}-\d{2}$/.test(String(version)));
        want(odd === undefined, "dates", odd);
      },
    },
    {
      id: "discover-capabilities",
      requirement: "lifecycle:discover:basic",
      title: "server/discover returns the server's capabilities as an object.",
      mend: "Return capabilities, an empty object if there are none.",
      async run(probe) {
        const { capabilities } = await discovered(probe);
        want(isObject(capabilities), "an object as capabilities", capabilities);
      },
    },
    {
      id: "discover-server-info",
      requirement: "lifecycle:discover:server-identity",
      title: "server/discover names the server in _meta.",
      mend: `Put name and version under _meta["${SERVER_INFO_KEY}"].`,
      async run(probe) {
        const { _meta: meta } = await discovered(probe);
        const info = isObject(meta) ? meta[SERVER_INFO_KEY] : undefined;
        const isNamed = isObject(info) && typeof info.name === "string" && typeof info.version === "string";
        want(isNamed, "name and version", info);
      },
    },
    {
      id: "discover-instructions",
      requirement: "lifecycle:discover:instructions",
      title: "The instructions of server/discover are text, if there are any.",
      mend: "Send instructions as a string, or leave them out.",
      async run(probe) {
        const { instructions } = await discovered(probe);
        if (instructions === undefined) notApplicable("the server gives no instructions");
        want(typeof instructions === "string", "a string", instructions);
      },
    },
    {
      id: "discover-json",
      requirement: "hosting:http:modern:discover-response-shape",
      title: "server/discover is answered with a status of 2xx.",
      mend: "Answer server/discover with status 200.",
      over: "http",
      async run(probe) {
        const answer = await probe.askOnce("server/discover");
        const status = answer.http?.status ?? 0;
        want(status >= 200 && status < 300, "a status of 2xx", describeAnswer(answer));
      },
    },
    {
      id: "unknown-revision-refused",
      requirement: "errors:modern:unsupported-revision",
      title: "A revision that the server does not speak is refused with -32022.",
      mend: "Compare the revision in _meta with those that the server speaks before anything else is done.",
      async run(probe) {
        wantError(await refused(probe), -32022);
      },
    },
    {
      id: "unknown-revision-status",
      requirement: "hosting:http:modern:unsupported-version-400",
      title: "The refusal of a revision has HTTP status 400.",
      mend: "Send status 400 with error -32022.",
      over: "http",
      async run(probe) {
        await refusalData(probe);
        wantStatus(await refused(probe), 400);
      },
    },
    {
      id: "unknown-revision-supported",
      requirement: "errors:modern:unsupported-revision",
      title: "The refusal of a revision lists the supported ones.",
      mend: "Put the revisions that the server speaks into error.data.supported.",
      async run(probe) {
        const { supported } = await refusalData(probe);
        const isList =
          Array.isArray(supported) && supported.length > 0 && supported.every((item) => typeof item === "string");
        want(isList, "a list of strings as data.supported", supported);
      },
    },
    {
      id: "unknown-revision-requested",
      requirement: "errors:modern:unsupported-revision",
      title: "The refusal of a revision repeats the one that was asked for.",
      mend: "Put the refused revision into error.data.requested.",
      async run(probe) {
        const { requested } = await refusalData(probe);
        want(requested === UNKNOWN_REVISION, `"${UNKNOWN_REVISION}" as data.requested`, requested);
      },
    },
    {
      id: "unknown-revision-consistent",
      requirement: "errors:modern:unsupported-revision",
      atMost: "warning",
      title: "The refusal of a revision lists none that discovery does not list.",
      mend: "Take data.supported and supportedVersions from one list.",
      async run(probe) {
        const { supported } = await refusalData(probe);
        const { supportedVersions } = await discovered(probe);
        const listed = Array.isArray(supportedVersions) ? supportedVersions : [];
        const extra = (Array.isArray(supported) ? supported : []).filter((item) => !listed.includes(item));
        want(extra.length === 0, `revisions of ${show(listed)}`, extra);
      },
    },
    {
      id: "unknown-revision-not-served",
      requirement: "hosting:http:modern:unsupported-version-400",
      title: "A list is not served in a revision that the server does not speak.",
      mend: "Refuse the request with status 400 before a handler runs.",
      over: "http",
      needs: ["tools"],
      async run(probe) {
        const answer = await probe.ask("tools/list", {}, { meta: { [REVISION_KEY]: UNKNOWN_REVISION } });
        wantRefusal(answer);
      },
    },
    {
      id: "modern-first-request",
      requirement: "hosting:http:modern:tools-call-stateless",
      title: "A first request is served without any request before it.",
      mend: "Serve each modern request by its own metadata.",
      over: "http",
      needs: ["tools"],
      async run(probe) {
        const peer = await probe.fresh();
        wantResult(await peer.request("tools/list"));
      },
    },
  ],
};
