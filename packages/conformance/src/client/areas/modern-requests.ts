/** What every modern request of a client carries: metadata, mirrored headers, ids. */
import { notObserved, want } from "../../judge/expectations.js";
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, REVISION_KEY } from "../../target/envelope.js";
import { isObject } from "../../wire/json-rpc.js";
import { isModernRequest } from "../replies.js";
import type { ClientArea } from "../scenario.js";
import {
  callsOf,
  differs,
  everyRequest,
  notificationsOf,
  postsOf,
  requestsOf,
  type SeenRequest,
  type Sighting,
  unmirrored,
  wantOf,
} from "../sighting.js";
import { isNamed, messageChecks } from "./message-checks.js";

const scenario = "tools-modern";

function modernRequestsOf(seen: readonly Sighting[]): SeenRequest[] {
  return requestsOf(seen).filter(({ method }) => method !== "initialize");
}

/** Fails if the client, which sent modern requests, sent something that the era does not have. */
function wantNone(seen: readonly Sighting[], found: readonly Sighting[], expected: string, got: string): void {
  if (!requestsOf(seen).some(isModernRequest)) notObserved("the client sent no modern request");
  wantOf(found, found.length === 0, expected, got);
}

function wantNoRequest(seen: readonly Sighting[], method: string): void {
  const found = requestsOf(seen, method).map(({ sighting }) => sighting);
  wantNone(seen, found, `no ${method}`, method);
}

const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

export const modernRequests: ClientArea = {
  area: "client-modern-requests",
  scenarios: [
    {
      name: scenario,
      revisions: ["2026-07-28"],
      summary: "A modern server with two tools on two pages. It hands out a session id, which clients ignore.",
      script: () => ({}),
    },
  ],
  checks: [
    {
      id: "client-meta-revision",
      scenario,
      requirement: "lifecycle:stateless:request-envelope",
      title: "Every request names its revision in _meta.",
      mend: `Send "${REVISION_KEY}" in the _meta of each request.`,
      judge: (seen) =>
        everyRequest(modernRequestsOf(seen), "the revision", ({ meta }) =>
          differs(typeof meta[REVISION_KEY], "string"),
        ),
    },
    {
      id: "client-meta-capabilities",
      scenario,
      requirement: "lifecycle:stateless:request-envelope",
      title: "Every request declares the client's capabilities in _meta.",
      mend: `Send "${CLIENT_CAPABILITIES_KEY}" in the _meta of each request, an empty object if there are none.`,
      judge: (seen) =>
        everyRequest(modernRequestsOf(seen), "an object", ({ meta }) =>
          isObject(meta[CLIENT_CAPABILITIES_KEY]) ? undefined : "none",
        ),
    },
    {
      id: "client-meta-capability-values",
      scenario,
      requirement: "lifecycle:stateless:request-envelope",
      // The schema says so. The sentence is about the field itself.
      atMost: "warning",
      title: "Every capability that a client declares in _meta is an object.",
      mend: "Declare a capability as an object, such as { sampling: {} }.",
      judge: (seen) =>
        everyRequest(
          modernRequestsOf(seen).filter(({ meta }) => isObject(meta[CLIENT_CAPABILITIES_KEY])),
          "objects",
          ({ meta }) => Object.values(meta[CLIENT_CAPABILITIES_KEY] ?? {}).find((value) => !isObject(value)),
        ),
    },
    {
      id: "client-meta-identity",
      scenario,
      requirement: "lifecycle:envelope:client-info",
      title: "Every request names the client in _meta.",
      mend: `Send name and version as "${CLIENT_INFO_KEY}" with each request.`,
      judge: (seen) =>
        everyRequest(modernRequestsOf(seen), "name and version", ({ meta }) =>
          isNamed(meta[CLIENT_INFO_KEY]) ? undefined : "none",
        ),
    },
    {
      id: "client-meta-spoken-revision",
      scenario,
      requirement: "lifecycle:discover:basic",
      title: "Requests after discovery name a revision that the server has listed.",
      mend: "Pick the revision of requests from supportedVersions.",
      judge: (seen) => {
        const requests = modernRequestsOf(seen);
        const at = requests.findIndex(({ method }) => method === "server/discover");
        if (at < 0) notObserved("the client sent no server/discover");
        everyRequest(requests.slice(at + 1), "2026-07-28", ({ meta }) =>
          meta[REVISION_KEY] === undefined ? undefined : differs(meta[REVISION_KEY], "2026-07-28"),
        );
      },
    },
    {
      id: "client-meta-log-level",
      scenario,
      requirement: "logging:per-request:client-option",
      title: "A log level in _meta is one of the eight.",
      mend: `Send one of ${LOG_LEVELS.join(", ")} as "${LOG_LEVEL_KEY}".`,
      judge: (seen) =>
        everyRequest(
          modernRequestsOf(seen).filter(({ meta }) => LOG_LEVEL_KEY in meta),
          "a level",
          ({ meta }) => (LOG_LEVELS.includes(String(meta[LOG_LEVEL_KEY])) ? undefined : meta[LOG_LEVEL_KEY]),
        ),
    },
    {
      id: "client-header-version",
      scenario,
      requirement: "client-transport:http:body-derived-headers",
      title: "MCP-Protocol-Version says what _meta says.",
      mend: "Send MCP-Protocol-Version with the revision of the body.",
      judge: (seen) =>
        everyRequest(modernRequestsOf(seen), "the revision of the body", ({ meta, headers }) =>
          differs(headers["mcp-protocol-version"], meta[REVISION_KEY]),
        ),
    },
    {
      id: "client-header-method",
      scenario,
      requirement: "client-transport:http:body-derived-headers",
      title: "Mcp-Method says what the body says.",
      mend: "Send Mcp-Method with the method of the body.",
      judge: (seen) =>
        everyRequest(modernRequestsOf(seen), "the method of the body", ({ method, headers }) =>
          differs(headers["mcp-method"], method),
        ),
    },
    {
      id: "client-header-name",
      scenario,
      requirement: "client-transport:http:body-derived-headers",
      title: "Mcp-Name says what the body of a call says.",
      mend: "Send Mcp-Name with params.name, in Base64 if it is not plain ASCII.",
      judge: (seen) =>
        everyRequest(requestsOf(seen, "tools/call"), "the name of the tool", ({ params, headers }) =>
          unmirrored(headers["mcp-name"], String(params.name)),
        ),
    },
    {
      id: "client-header-params",
      scenario,
      requirement: "client-transport:http:custom-param-headers",
      title: "Arguments with x-mcp-header are repeated in headers.",
      mend: "Send Mcp-Param headers for annotated arguments that the call has.",
      judge: (seen) =>
        everyRequest(
          callsOf(seen, "echo").filter(({ params }) => isObject(params.arguments) && "region" in params.arguments),
          "the header of the argument",
          ({ params, headers }) =>
            unmirrored(headers["mcp-param-region"], String(isObject(params.arguments) ? params.arguments.region : "")),
        ),
    },
    {
      id: "client-header-unannotated",
      scenario,
      requirement: "client-transport:http:custom-param-headers",
      title: "Arguments without x-mcp-header are in no header.",
      mend: "Send Mcp-Param headers for annotated arguments alone.",
      judge: (seen) =>
        everyRequest(callsOf(seen, "echo"), "no header for text", ({ headers }) =>
          Object.keys(headers).find((name) => name.startsWith("mcp-param-") && name !== "mcp-param-region"),
        ),
    },
    {
      id: "client-no-session",
      scenario,
      requirement: "client-transport:http:stateless-ignores-session-id",
      title: "A modern client sends no session id back.",
      mend: "Ignore Mcp-Session-Id in answers of modern servers.",
      judge: (seen) =>
        everyRequest(modernRequestsOf(seen), "no session id", ({ headers }) => headers["mcp-session-id"]),
    },
    {
      id: "client-posts-alone",
      scenario,
      requirement: "client-transport:http:stateless-ignores-session-id",
      title: "A modern client uses POST alone.",
      mend: "Send no GET and no DELETE to a modern server.",
      judge: (seen) => {
        const other = seen.filter(({ verb, path }) => verb !== "POST" && path === "/mcp");
        wantNone(seen, other, "POST", other[0]?.verb ?? "");
      },
    },
    {
      id: "client-stays-modern",
      scenario,
      requirement: "lifecycle:matrix:dual-client-modern-server",
      title: "A client that was answered by a modern server sends no initialize.",
      mend: "Keep to the modern era once server/discover or a request was answered.",
      judge: (seen) => {
        const first = seen.findIndex((item) => requestsOf([item]).some(isModernRequest) && item.status === 200);
        if (first < 0) notObserved("no modern request of the client was served");
        const late = requestsOf(seen.slice(first), "initialize");
        want(late.length === 0, "no initialize", "initialize");
      },
    },
    {
      id: "client-no-initialized",
      scenario,
      requirement: "lifecycle:stateless:request-envelope",
      // The era has no such notification. No sentence forbids it.
      atMost: "warning",
      title: "A modern client sends no notifications/initialized.",
      mend: "Leave the handshake out where the server is modern.",
      judge: (seen) => {
        const found = notificationsOf(seen, "notifications/initialized");
        wantNone(seen, found, "no handshake", "notifications/initialized");
      },
    },
    {
      id: "client-no-ping",
      scenario,
      requirement: "ping:not-in-modern",
      // The era has no such request. What is a MUST is the answer of the server.
      atMost: "warning",
      title: "A modern client sends no ping.",
      mend: "Send pings to legacy servers alone.",
      judge: (seen) => {
        wantNoRequest(seen, "ping");
      },
    },
    {
      id: "client-no-set-level",
      scenario,
      requirement: "logging:set-level:not-in-modern",
      title: "A modern client sends no logging/setLevel.",
      mend: "Send the log level in the _meta of each request.",
      judge: (seen) => {
        wantNoRequest(seen, "logging/setLevel");
      },
    },
    {
      id: "client-no-responses",
      scenario,
      requirement: "client-transport:http:one-message-per-post",
      title: "A modern client posts requests and notifications, and no responses.",
      mend: "Answer questions of a modern server in inputResponses.",
      judge: (seen) => {
        const found = postsOf(seen).filter(({ value }) => isObject(value) && !("method" in value));
        wantNone(seen, found, "requests and notifications", found[0]?.body ?? "");
      },
    },
    ...messageChecks("modern", scenario),
  ],
};
