/** What clients must send, judged by everything that the played server has seen of them. */
import type { CheckFacts } from "../judge/check.js";
import { notObserved, want } from "../judge/expectations.js";
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  headerValue,
  paramHeaders,
  REVISION_KEY,
} from "../target/envelope.js";
import { isObject, isRequest, type JsonObject } from "../wire/json-rpc.js";
import { ODD_CURSOR, type PlayedEra, SESSION_ID, type Sighting } from "./played-server.js";

export interface ClientCheck extends CheckFacts {
  /** The server that the client spoke to. */
  readonly era: PlayedEra;
  /** Expectations throw. */
  readonly judge: (sightings: readonly Sighting[]) => void;
}

const ECHO: JsonObject = {
  inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
};

interface SeenRequest {
  readonly message: JsonObject;
  readonly params: JsonObject;
  readonly meta: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

function requestsOf(sightings: readonly Sighting[]): SeenRequest[] {
  return sightings.flatMap(({ value, headers }) => {
    if (!isRequest(value)) return [];
    const params = isObject(value.params) ? value.params : {};
    return [{ message: value, params, meta: isObject(params._meta) ? params._meta : {}, headers }];
  });
}

/** Every request of a kind satisfies a test, and there is at least one. */
function everyRequest(
  sightings: readonly Sighting[],
  isConcerned: (request: SeenRequest) => boolean,
  expected: string,
  faultOf: (request: SeenRequest) => unknown,
): void {
  const concerned = requestsOf(sightings).filter(isConcerned);
  if (concerned.length === 0) notObserved("the client sent no such request");
  for (const request of concerned) {
    const fault = faultOf(request);
    want(fault === undefined, expected, `${JSON.stringify(fault)} in ${request.message.method}`);
  }
}

const always = () => true;

/** `undefined` if the values are the same, else what was found. */
function differs(found: unknown, wanted: unknown): unknown {
  return found === wanted ? undefined : (found ?? "nothing");
}

function posts(sightings: readonly Sighting[]): Sighting[] {
  const found = sightings.filter(({ verb }) => verb === "POST");
  if (found.length === 0) notObserved("the client sent no POST");
  return found;
}

/** Requests that follow a successful handshake. */
function afterHandshake(sightings: readonly Sighting[]): Sighting[] {
  const at = sightings.findIndex(
    ({ value, status }) => isObject(value) && value.method === "initialize" && status === 200,
  );
  if (at < 0) notObserved("the client made no handshake");
  return sightings.slice(at + 1);
}

function handshake(sightings: readonly Sighting[]): SeenRequest {
  const found = requestsOf(sightings).find(({ message }) => message.method === "initialize");
  want(found !== undefined, "initialize", "none");
  return found;
}

function inBothEras(check: Omit<ClientCheck, "era">): ClientCheck[] {
  return [
    { ...check, id: `client-modern-${check.id}`, era: "modern" },
    { ...check, id: `client-legacy-${check.id}`, era: "legacy" },
  ];
}

export const CLIENT_CHECKS: readonly ClientCheck[] = [
  {
    id: "client-meta-revision",
    era: "modern",
    requirement: "lifecycle:stateless:request-envelope",
    title: "Every request names its revision in _meta.",
    mend: `Send "${REVISION_KEY}" in the _meta of each request.`,
    judge: (seen) =>
      everyRequest(seen, notHandshake, "the revision", ({ meta }) => differs(typeof meta[REVISION_KEY], "string")),
  },
  {
    id: "client-meta-capabilities",
    era: "modern",
    requirement: "lifecycle:stateless:request-envelope",
    title: "Every request declares the client's capabilities in _meta.",
    mend: `Send "${CLIENT_CAPABILITIES_KEY}" in the _meta of each request, an empty object if there are none.`,
    judge: (seen) =>
      everyRequest(seen, notHandshake, "an object", ({ meta }) =>
        isObject(meta[CLIENT_CAPABILITIES_KEY]) ? undefined : "none",
      ),
  },
  {
    id: "client-meta-identity",
    era: "modern",
    requirement: "lifecycle:envelope:client-info",
    title: "Every request names the client in _meta.",
    mend: `Send name and version as "${CLIENT_INFO_KEY}" with each request.`,
    judge: (seen) =>
      everyRequest(seen, notHandshake, "name and version", ({ meta }) =>
        isNamed(meta[CLIENT_INFO_KEY]) ? undefined : "none",
      ),
  },
  {
    id: "client-header-version",
    era: "modern",
    requirement: "client-transport:http:body-derived-headers",
    title: "MCP-Protocol-Version says what _meta says.",
    mend: "Send MCP-Protocol-Version with the revision of the body.",
    judge: (seen) =>
      everyRequest(seen, notHandshake, "the revision of the body", ({ meta, headers }) =>
        differs(headers["mcp-protocol-version"], meta[REVISION_KEY]),
      ),
  },
  {
    id: "client-header-method",
    era: "modern",
    requirement: "client-transport:http:body-derived-headers",
    title: "Mcp-Method says what the body says.",
    mend: "Send Mcp-Method with the method of the body.",
    judge: (seen) =>
      everyRequest(seen, notHandshake, "the method of the body", ({ message, headers }) =>
        differs(headers["mcp-method"], message.method),
      ),
  },
  {
    id: "client-header-name",
    era: "modern",
    requirement: "client-transport:http:body-derived-headers",
    title: "Mcp-Name says what the body of a call says.",
    mend: "Send Mcp-Name with params.name, in Base64 if it is not plain ASCII.",
    judge: (seen) =>
      everyRequest(seen, isCall, "the name of the tool", ({ params, headers }) =>
        differs(headers["mcp-name"], headerValue(String(params.name))),
      ),
  },
  {
    id: "client-header-params",
    era: "modern",
    requirement: "client-transport:http:custom-param-headers",
    title: "Arguments with x-mcp-header are repeated in headers, and absent ones are not.",
    mend: "Send Mcp-Param headers for annotated arguments that the call has.",
    judge: (seen) =>
      everyRequest(seen, isEcho, "the header of the argument", ({ params, headers }) =>
        differs(headers["mcp-param-region"], paramHeaders(ECHO, params.arguments)["Mcp-Param-Region"]),
      ),
  },
  {
    id: "client-no-session",
    era: "modern",
    requirement: "client-transport:http:stateless-ignores-session-id",
    title: "A modern client sends no session id back.",
    mend: "Ignore Mcp-Session-Id in answers of modern servers.",
    judge: (seen) => everyRequest(seen, notHandshake, "no session id", ({ headers }) => headers["mcp-session-id"]),
  },
  {
    id: "client-posts-alone",
    era: "modern",
    requirement: "client-transport:http:stateless-ignores-session-id",
    title: "A modern client uses POST alone.",
    mend: "Send no GET and no DELETE to a modern server.",
    judge: (seen) => {
      const other = seen.find(({ verb }) => verb !== "POST");
      want(other === undefined, "POST", other?.verb);
    },
  },
  {
    id: "client-stays-modern",
    era: "modern",
    requirement: "lifecycle:matrix:dual-client-modern-server",
    title: "A client that was answered by a modern server sends no initialize.",
    mend: "Keep to the modern era once server/discover or a request was answered.",
    judge: (seen) => {
      const first = seen.findIndex(({ value, status }) => isRequest(value) && status === 200);
      if (first < 0) notObserved("no modern request of the client was served");
      const late = seen.slice(first).find(({ value }) => isObject(value) && value.method === "initialize");
      want(late === undefined, "no initialize", "initialize");
    },
  },
  ...inBothEras({
    id: "accept",
    requirement: "client-transport:http:accept-header-post",
    title: "Every POST accepts JSON and event streams.",
    mend: "Send Accept: application/json, text/event-stream.",
    judge: (seen) => {
      const odd = posts(seen).find(
        ({ headers: { accept = "" } }) => !accept.includes("application/json") || !accept.includes("text/event-stream"),
      );
      want(odd === undefined, "both types in Accept", odd?.headers.accept ?? "none");
    },
  }),
  ...inBothEras({
    id: "one-message",
    requirement: "client-transport:http:one-message-per-post",
    title: "The body of every POST is one JSON-RPC message.",
    mend: 'Send one object with jsonrpc "2.0" in each POST.',
    judge: (seen) => {
      const odd = posts(seen).find(({ value }) => !isObject(value) || value.jsonrpc !== "2.0");
      want(odd === undefined, "one message", odd?.body);
    },
  }),
  ...inBothEras({
    id: "id-types",
    requirement: "protocol:request-id:unique",
    title: "The id of every request is a string or an integer.",
    mend: "Use strings or integers as ids, and never null.",
    judge: (seen) =>
      everyRequest(seen, always, "a string or an integer", ({ message: { id } }) =>
        typeof id === "string" || Number.isInteger(id) ? undefined : (id ?? "null"),
      ),
  }),
  ...inBothEras({
    id: "ids-unique",
    requirement: "protocol:request-id:unique",
    title: "No id is used for two requests.",
    mend: "Count ids up over the life of the client.",
    judge: (seen) => {
      const ids = requestsOf(seen).map(({ message }) => JSON.stringify(message.id));
      if (ids.length < 2) notObserved("the client sent fewer than two requests");
      const twice = ids.find((id, index) => ids.indexOf(id) !== index);
      want(twice === undefined, "each id once", twice);
    },
  }),
  ...inBothEras({
    id: "cursor",
    requirement: "pagination:client:cursor-handling",
    title: "A cursor comes back exactly as it was handed out.",
    mend: "Treat cursors as opaque: do not trim, decode or change them.",
    judge: (seen) =>
      everyRequest(
        seen,
        ({ params }) => "cursor" in params,
        "the cursor unchanged",
        ({ params }) => differs(params.cursor, ODD_CURSOR),
      ),
  }),
  {
    id: "client-initialize",
    era: "legacy",
    requirement: "lifecycle:initialize:basic",
    title: "initialize carries a revision, capabilities and the client's identity.",
    mend: "Send protocolVersion, capabilities and clientInfo with name and version.",
    judge: (seen) => {
      const { params } = handshake(seen);
      const isWhole =
        typeof params.protocolVersion === "string" && isObject(params.capabilities) && isNamed(params.clientInfo);
      want(isWhole, "protocolVersion, capabilities and clientInfo", params);
    },
  },
  {
    id: "client-initialize-legacy",
    era: "legacy",
    requirement: "lifecycle:version:initialize-asks-legacy",
    title: "initialize asks for a legacy revision and carries no modern metadata.",
    mend: "Ask for the newest legacy revision, without the _meta of the modern era.",
    judge: (seen) => {
      const { params, meta } = handshake(seen);
      const isLegacy = !(REVISION_KEY in meta) && String(params.protocolVersion) < "2026-07-28";
      want(isLegacy, "a legacy revision", params);
    },
  },
  {
    id: "client-initialized",
    era: "legacy",
    requirement: "lifecycle:initialized-notification",
    title: "Exactly one notifications/initialized follows the handshake, before any request.",
    mend: "Send notifications/initialized once, right after the answer to initialize.",
    judge: (seen) => {
      const methods = posts(afterHandshake(seen)).map(({ value }) => (isObject(value) ? value.method : undefined));
      const count = methods.filter((method) => method === "notifications/initialized").length;
      want(count === 1 && methods[0] === "notifications/initialized", "notifications/initialized first, once", methods);
    },
  },
  {
    id: "client-session-kept",
    era: "legacy",
    requirement: "client-transport:http:session-stored",
    title: "Every request after the handshake carries the session id.",
    mend: "Send the Mcp-Session-Id of the answer to initialize with every later request.",
    judge: (seen) => {
      const odd = afterHandshake(seen).find(({ headers }) => headers["mcp-session-id"] !== SESSION_ID);
      want(odd === undefined, SESSION_ID, `${odd?.headers["mcp-session-id"] ?? "none"} on ${odd?.verb}`);
    },
  },
  {
    id: "client-version-kept",
    era: "legacy",
    requirement: "client-transport:http:protocol-version-header",
    title: "Every request after the handshake names the revision that the server chose.",
    mend: "Send MCP-Protocol-Version with the revision of the answer to initialize.",
    judge: (seen) => {
      const odd = afterHandshake(seen).find(({ headers }) => headers["mcp-protocol-version"] !== "2025-11-25");
      want(odd === undefined, "2025-11-25", `${odd?.headers["mcp-protocol-version"] ?? "none"} on ${odd?.verb}`);
    },
  },
  {
    id: "client-stream-accept",
    era: "legacy",
    requirement: "client-transport:http:accept-header-get",
    title: "The standalone stream is asked for with text/event-stream.",
    mend: "Send Accept: text/event-stream with the GET.",
    judge: (seen) => {
      const gets = seen.filter(({ verb }) => verb === "GET");
      if (gets.length === 0) notObserved("the client opened no standalone stream");
      const odd = gets.find(({ headers }) => !headers.accept?.includes("text/event-stream"));
      want(odd === undefined, "text/event-stream", odd?.headers.accept ?? "none");
    },
  },
  {
    id: "client-session-deleted",
    era: "legacy",
    requirement: "client-transport:http:session-deleted",
    title: "A client that is closed ends its session with DELETE.",
    mend: "Send DELETE with the session id when the client is closed.",
    judge: (seen) =>
      want(
        afterHandshake(seen).some(({ verb }) => verb === "DELETE"),
        "DELETE",
        "none",
      ),
  },
  {
    id: "client-probe-does-not-leak",
    era: "legacy",
    requirement: "client-transport:http:probe-does-not-leak",
    title: "The revision of a modern probe is not on the handshake that follows it.",
    mend: "Send initialize without the MCP-Protocol-Version of the probe.",
    judge: (seen) => {
      const version = handshake(seen).headers["mcp-protocol-version"];
      want(version === undefined || version < "2026-07-28", "no modern version", version);
    },
  },
];

function notHandshake({ message }: SeenRequest): boolean {
  return message.method !== "initialize";
}

function isCall({ message }: SeenRequest): boolean {
  return message.method === "tools/call";
}

function isEcho({ message, params }: SeenRequest): boolean {
  return message.method === "tools/call" && params.name === "echo";
}

function isNamed(value: unknown): boolean {
  return isObject(value) && typeof value.name === "string" && typeof value.version === "string";
}
