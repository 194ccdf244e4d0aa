/** A client without faults, as the played server sees it, and a fault for every check of clients. */
import { CLIENT_INFO, initializeParams, mirrorHeaders, paramHeaders, withMeta } from "../target/envelope.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { ODD_CURSOR, type PlayedEra, PlayedServer, SESSION_ID, type Sighting } from "./played-server.js";

const ACCEPT = "application/json, text/event-stream";
const ECHO: JsonObject = {
  inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
};
const CALL = { name: "echo", arguments: { text: "hello", region: "north" } };

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Everything that a right client sends to a server of an era. */
export function goodSightings(era: PlayedEra): Sighting[] {
  const server = new PlayedServer(era);
  let id = 0;
  const post = (message: JsonObject, headers: Readonly<Record<string, string>>) =>
    server.play({
      verb: "POST",
      headers: lowered({ Accept: ACCEPT, ...headers }),
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const modern = (method: string, params: JsonObject = {}) => {
    id += 1;
    const message = { id, method, params: withMeta("2026-07-28", params, {}) };
    post(message, {
      ...mirrorHeaders("2026-07-28", message),
      ...(method === "tools/call" ? paramHeaders(ECHO, params.arguments) : {}),
    });
  };
  modern("server/discover");
  if (era === "modern") {
    modern("tools/list");
    modern("tools/list", { cursor: ODD_CURSOR });
    modern("tools/call", CALL);
    return server.sightings;
  }
  const session = { "Mcp-Session-Id": SESSION_ID, "MCP-Protocol-Version": "2025-11-25" };
  const legacy = (method: string, params: JsonObject = {}) => {
    id += 1;
    post({ id, method, params }, session);
  };
  id += 1;
  post({ id, method: "initialize", params: initializeParams("2025-11-25") }, {});
  post({ method: "notifications/initialized" }, session);
  server.play({ verb: "GET", headers: lowered({ Accept: "text/event-stream", ...session }) });
  legacy("tools/list");
  legacy("tools/list", { cursor: ODD_CURSOR });
  legacy("tools/call", CALL);
  server.play({ verb: "DELETE", headers: lowered(session) });
  return server.sightings;
}

type ClientFault = (sightings: readonly Sighting[]) => Sighting[];

/** A change of the sightings whose message has a method. */
function onMethod(method: string, change: (sighting: Sighting) => Sighting): ClientFault {
  return (sightings) =>
    sightings.map((item) => (isObject(item.value) && item.value.method === method ? change(item) : item));
}

function header(name: string, value: string | undefined): (sighting: Sighting) => Sighting {
  return (sighting) => {
    const { [name]: _old, ...rest } = sighting.headers;
    return { ...sighting, headers: value === undefined ? rest : { ...rest, [name]: value } };
  };
}

function params(change: (params: JsonObject) => JsonObject): (sighting: Sighting) => Sighting {
  return (sighting) => {
    const value = isObject(sighting.value) ? sighting.value : {};
    return { ...sighting, value: { ...value, params: change(isObject(value.params) ? value.params : {}) } };
  };
}

function metaWithout(key: string): (sighting: Sighting) => Sighting {
  return params(({ _meta: meta, ...rest }) => {
    const { [`io.modelcontextprotocol/${key}`]: _old, ...kept } = isObject(meta) ? meta : {};
    return { ...rest, _meta: kept };
  });
}

function id(value: unknown): (sighting: Sighting) => Sighting {
  return (sighting) => ({ ...sighting, value: { ...(isObject(sighting.value) ? sighting.value : {}), id: value } });
}

const trimmed = params((given) => ({
  ...given,
  cursor: typeof given.cursor === "string" ? given.cursor.trim() : given.cursor,
}));

const isVerb = (verb: string) => (sighting: Sighting) => sighting.verb === verb;

function onlyIfCursor(change: (sighting: Sighting) => Sighting): (sighting: Sighting) => Sighting {
  return (sighting) => {
    const value = isObject(sighting.value) && isObject(sighting.value.params) ? sighting.value.params : {};
    return "cursor" in value ? change(sighting) : sighting;
  };
}

const CLIENT_INFO_ONLY = { clientInfo: CLIENT_INFO };

/** By the check that must turn red. */
export const CLIENT_FAULTS: Readonly<Record<string, ClientFault>> = {
  // Without the revision in the body, the header differs from the body as well.
  "client-meta-revision": onMethod("tools/call", (item) =>
    header("mcp-protocol-version", undefined)(metaWithout("protocolVersion")(item)),
  ),
  "client-meta-capabilities": onMethod("tools/call", metaWithout("clientCapabilities")),
  "client-meta-identity": onMethod("tools/call", metaWithout("clientInfo")),
  "client-header-version": onMethod("tools/call", header("mcp-protocol-version", "2025-11-25")),
  "client-header-method": onMethod("tools/call", header("mcp-method", undefined)),
  "client-header-name": onMethod("tools/call", header("mcp-name", "weather")),
  "client-header-params": onMethod("tools/call", header("mcp-param-region", undefined)),
  "client-no-session": onMethod("tools/call", header("mcp-session-id", SESSION_ID)),
  "client-posts-alone": (seen) => [...seen, { verb: "GET", headers: {}, body: "", value: undefined, status: 405 }],
  "client-stays-modern": (seen) => [
    ...seen,
    {
      verb: "POST",
      headers: { accept: ACCEPT },
      body: "",
      value: { jsonrpc: "2.0", id: 99, method: "initialize" },
      status: 400,
    },
  ],
  "client-modern-accept": onMethod("tools/call", header("accept", "application/json")),
  "client-legacy-accept": onMethod("tools/call", header("accept", "application/json")),
  "client-modern-one-message": (seen) => [
    ...seen,
    { verb: "POST", headers: { accept: ACCEPT }, body: "[]", value: [], status: 400 },
  ],
  "client-legacy-one-message": onMethod("notifications/initialized", (item) => ({
    ...item,
    value: { method: "notifications/initialized" },
  })),
  "client-modern-id-types": onMethod("tools/call", id(1.5)),
  "client-legacy-id-types": onMethod("tools/call", id(1.5)),
  "client-modern-ids-unique": onMethod("tools/call", id(1)),
  "client-legacy-ids-unique": onMethod("tools/call", id(2)),
  "client-modern-cursor": onMethod("tools/list", onlyIfCursor(trimmed)),
  "client-legacy-cursor": onMethod("tools/list", onlyIfCursor(trimmed)),
  "client-initialize": onMethod(
    "initialize",
    params(() => ({ protocolVersion: "2025-11-25", ...CLIENT_INFO_ONLY })),
  ),
  "client-initialize-legacy": onMethod(
    "initialize",
    params((given) => ({ ...given, protocolVersion: "2026-07-28" })),
  ),
  "client-initialized": (seen) =>
    seen.filter(({ value }) => !isObject(value) || value.method !== "notifications/initialized"),
  "client-session-kept": onMethod("tools/call", header("mcp-session-id", undefined)),
  "client-version-kept": onMethod("tools/call", header("mcp-protocol-version", undefined)),
  "client-stream-accept": (seen) => seen.map((item) => (isVerb("GET")(item) ? header("accept", "*/*")(item) : item)),
  "client-session-deleted": (seen) => seen.filter((item) => !isVerb("DELETE")(item)),
  "client-probe-does-not-leak": onMethod("initialize", header("mcp-protocol-version", "2026-07-28")),
};
