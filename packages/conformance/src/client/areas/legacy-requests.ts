/** What a client of the legacy era sends: the handshake, the session, the revision. Played in every revision over HTTP. */
import { notObserved, want } from "../../judge/expectations.js";
import { CLIENT_CAPABILITIES_KEY, REVISION_KEY } from "../../target/envelope.js";
import { isObject } from "../../wire/json-rpc.js";
import { sessionId } from "../played-server.js";
import type { ClientArea } from "../scenario.js";
import {
  afterHandshake,
  declaredBy,
  everyRequest,
  handshakeOf,
  notificationsOf,
  postsOf,
  requestsOf,
  type Sighting,
  wantOf,
} from "../sighting.js";
import { isNamed, messageChecks } from "./message-checks.js";

const scenario = "tools-legacy";

/** Whether a program on standard streams has read more handshakes up to here than it was started. */
function isSecondOfProgram(seen: readonly Sighting[], sighting: Sighting): boolean {
  if (sighting.origin !== "pipe") return false;
  const before = seen.slice(0, seen.indexOf(sighting) + 1);
  return requestsOf(before, "initialize").length > before.filter(({ verb }) => verb === "start").length;
}

export const legacyRequests: ClientArea = {
  area: "client-legacy-requests",
  scenarios: [
    {
      name: scenario,
      revisions: ["2025-03-26", "2025-06-18", "2025-11-25"],
      summary: "A legacy server with sessions and two tools on two pages.",
      script: () => ({}),
    },
  ],
  checks: [
    {
      id: "client-initialize",
      scenario,
      requirement: "lifecycle:initialize:basic",
      title: "initialize carries a revision, capabilities and the client's identity.",
      mend: "Send protocolVersion, capabilities and clientInfo with name and version.",
      judge: (seen) => {
        const { params, sighting } = handshakeOf(seen);
        const isWhole =
          typeof params.protocolVersion === "string" && isObject(params.capabilities) && isNamed(params.clientInfo);
        wantOf([sighting], isWhole, "protocolVersion, capabilities and clientInfo", params);
      },
    },
    {
      id: "client-initialize-capability-values",
      scenario,
      requirement: "lifecycle:initialize:client-capabilities",
      title: "Every capability in initialize is an object.",
      mend: "Declare a capability as an object, such as { roots: {} }.",
      judge: (seen) => {
        const { params, sighting } = handshakeOf(seen);
        const odd = Object.entries(isObject(params.capabilities) ? params.capabilities : {}).find(
          ([, value]) => !isObject(value),
        );
        wantOf([sighting], odd === undefined, "objects", odd);
      },
    },
    {
      id: "client-initialize-legacy",
      scenario,
      requirement: "lifecycle:version:initialize-asks-legacy",
      title: "initialize asks for a legacy revision.",
      mend: "Ask for the newest legacy revision that the client speaks.",
      judge: (seen) => {
        const { params, sighting } = handshakeOf(seen);
        wantOf([sighting], String(params.protocolVersion) < "2026-07-28", "a legacy revision", params.protocolVersion);
      },
    },
    {
      id: "client-handshake-once",
      scenario,
      requirement: "lifecycle:initialize:basic",
      title: "A client makes one handshake in each session.",
      mend: "Send initialize once for each session, or for each start of a program.",
      judge: (seen) => {
        const again = requestsOf(afterHandshake(seen), "initialize").filter(
          ({ headers, sighting }) => "mcp-session-id" in headers || isSecondOfProgram(seen, sighting),
        );
        wantOf([again[0]?.sighting], again.length === 0, "one initialize", `${again.length + 1}`);
      },
    },
    {
      id: "client-handshake-first",
      scenario,
      requirement: "lifecycle:pre-initialization-ordering",
      title: "No request but a probe and a ping precedes the handshake.",
      mend: "Send initialize before any other request of the legacy era.",
      judge: (seen) => {
        const requests = requestsOf(seen);
        const at = requests.findIndex(({ method }) => method === "initialize");
        if (at < 0) notObserved("the client made no handshake");
        const early = requests.slice(0, at).find(({ meta, method }) => !(REVISION_KEY in meta) && method !== "ping");
        wantOf([early?.sighting], early === undefined, "initialize first", early?.method);
      },
    },
    {
      id: "client-initialized",
      scenario,
      requirement: "lifecycle:initialized-notification",
      title: "notifications/initialized follows the handshake before any request.",
      mend: "Send notifications/initialized right after the answer to initialize.",
      judge: (seen) => {
        const [first] = postsOf(afterHandshake(seen));
        const method = isObject(first?.value) ? first.value.method : undefined;
        wantOf([first], method === "notifications/initialized", "notifications/initialized first", method);
      },
    },
    {
      id: "client-initialized-once",
      scenario,
      requirement: "lifecycle:initialized-notification",
      // The sentence asks for the notification, and forbids no second one.
      atMost: "warning",
      title: "notifications/initialized is sent once for each handshake.",
      mend: "Send notifications/initialized once for each handshake.",
      judge: (seen) => {
        const found = notificationsOf(afterHandshake(seen), "notifications/initialized");
        if (found.length === 0) notObserved("the client sent no notifications/initialized");
        const handshakes = requestsOf(seen, "initialize").length;
        wantOf(found, found.length <= handshakes, "one notification", `${found.length}`);
      },
    },
    {
      id: "client-legacy-no-envelope",
      scenario,
      requirement: "lifecycle:stateless:unpinned-legacy-wire",
      title: "Requests in a legacy session carry no metadata of the modern era.",
      mend: "Leave the revision, the identity and the capabilities out of _meta in the legacy era.",
      judge: (seen) =>
        everyRequest(
          requestsOf(afterHandshake(seen)),
          "no modern metadata",
          ({ meta }) => meta[REVISION_KEY] ?? meta[CLIENT_CAPABILITIES_KEY],
        ),
    },
    {
      id: "client-legacy-no-mirror",
      scenario,
      requirement: "lifecycle:stateless:unpinned-legacy-wire",
      title: "Requests in a legacy session carry no mirrored headers of the modern era.",
      mend: "Send Mcp-Method and Mcp-Name to modern servers alone.",
      judge: (seen) =>
        everyRequest(
          requestsOf(afterHandshake(seen)),
          "no mirrored headers",
          ({ headers }) => headers["mcp-method"] ?? headers["mcp-name"],
        ),
    },
    {
      id: "client-session-kept",
      scenario,
      requirement: "client-transport:http:session-stored",
      title: "Every request after the handshake carries the session id.",
      mend: "Send the Mcp-Session-Id of the answer to initialize with every later request.",
      judge: (seen) => {
        // A client may have several sessions.
        const ids = requestsOf(seen, "initialize").map((_, index) => sessionId(index + 1));
        const odd = afterHandshake(seen).find(
          (item) =>
            item.path === "/mcp" &&
            requestsOf([item], "initialize").length === 0 &&
            !ids.includes(item.headers["mcp-session-id"] ?? ""),
        );
        wantOf([odd], odd === undefined, sessionId(1), `${odd?.headers["mcp-session-id"] ?? "none"} on ${odd?.verb}`);
      },
    },
    {
      id: "client-session-not-before",
      scenario,
      requirement: "client-transport:http:session-stored",
      // The sentence is about later requests.
      atMost: "warning",
      title: "initialize carries no session id.",
      mend: "Send Mcp-Session-Id only after a server has given one out.",
      judge: (seen) => {
        const { headers, sighting } = handshakeOf(seen);
        wantOf([sighting], headers["mcp-session-id"] === undefined, "no session id", headers["mcp-session-id"]);
      },
    },
    {
      id: "client-version-kept",
      scenario,
      // The header is younger than the transport.
      since: "2025-06-18",
      requirement: "client-transport:http:protocol-version-header",
      title: "Every request after the handshake names the revision that the server chose.",
      mend: "Send MCP-Protocol-Version with the revision of the answer to initialize.",
      judge: (seen, { revision }) => {
        const odd = afterHandshake(seen).find(
          (item) =>
            item.path === "/mcp" &&
            requestsOf([item], "initialize").length === 0 &&
            item.headers["mcp-protocol-version"] !== revision,
        );
        const version = odd?.headers["mcp-protocol-version"];
        // The header must be there. That it names the negotiated revision is a SHOULD.
        const atMost = version === undefined ? undefined : "warning";
        wantOf([odd], odd === undefined, revision, `${version ?? "none"} on ${odd?.verb}`, atMost);
      },
    },
    {
      id: "client-stream-accept",
      scenario,
      requirement: "client-transport:http:accept-header-get",
      title: "The standalone stream is asked for with text/event-stream.",
      mend: "Send Accept: text/event-stream with the GET.",
      judge: (seen) => {
        const gets = seen.filter(({ verb }) => verb === "GET");
        if (gets.length === 0) notObserved("the client opened no standalone stream");
        const odd = gets.find(({ headers }) => !headers.accept?.includes("text/event-stream"));
        wantOf([odd], odd === undefined, "text/event-stream", odd?.headers.accept ?? "none");
      },
    },
    {
      id: "client-session-deleted",
      scenario,
      requirement: "client-transport:http:session-deleted",
      title: "A client that is closed ends its session with DELETE.",
      mend: "Send DELETE with the session id when the client is closed.",
      judge: (seen) => {
        const isDeleted = afterHandshake(seen).some(({ verb }) => verb === "DELETE");
        want(isDeleted, "DELETE", "none");
      },
    },
    {
      id: "client-session-deleted-last",
      scenario,
      requirement: "client-transport:http:session-deleted",
      title: "Nothing is sent in a session that the client has ended.",
      mend: "Send DELETE when all requests are over, and once.",
      judge: (seen) => {
        const at = seen.findIndex(({ verb }) => verb === "DELETE");
        if (at < 0) notObserved("the client sent no DELETE");
        const late = seen.slice(at + 1).find(({ headers }) => headers["mcp-session-id"] !== undefined);
        wantOf([late], late === undefined, "nothing after DELETE", late?.verb);
      },
    },
    {
      id: "client-probe-does-not-leak",
      scenario,
      requirement: "client-transport:http:probe-does-not-leak",
      title: "The revision of a modern probe is not on the handshake that follows it.",
      mend: "Send initialize without the MCP-Protocol-Version of the probe.",
      judge: (seen) => {
        const { headers, sighting } = handshakeOf(seen);
        const version = headers["mcp-protocol-version"];
        wantOf([sighting], version === undefined || version < "2026-07-28", "no modern version", version);
      },
    },
    {
      id: "client-roots-changed-declared",
      scenario,
      requirement: "lifecycle:capability:client-not-declared",
      title: "A client announces changed roots only if it declared that it would.",
      mend: "Declare roots.listChanged, or leave notifications/roots/list_changed out.",
      judge: (seen) => {
        afterHandshake(seen);
        const { roots } = declaredBy(seen);
        const found = notificationsOf(seen, "notifications/roots/list_changed");
        const isRight = found.length === 0 || (isObject(roots) && roots.listChanged === true);
        wantOf(found, isRight, "no notification", "notifications/roots/list_changed");
      },
    },
    ...messageChecks("legacy", scenario),
  ],
};
