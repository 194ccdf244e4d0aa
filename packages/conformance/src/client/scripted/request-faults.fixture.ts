/** A fault for each check of single requests, mirrored headers and forms of answers. */
import type { JsonObject } from "../../wire/json-rpc.js";
import {
  type ClientFault,
  extraMessage,
  type OutgoingCall,
  onHeader,
  onMessage,
  withHeader,
} from "./client-fault.fixture.js";

const ACCEPT = "application/json, text/event-stream";
const META = "io.modelcontextprotocol";

function inParams(method: string | undefined, change: (params: JsonObject) => unknown): ClientFault {
  return onMessage(method, (message) => ({ ...message, params: change(message.params as JsonObject) }));
}

function inMeta(method: string | undefined, given: JsonObject): ClientFault {
  return inParams(method, (params) => ({ ...params, _meta: { ...(params._meta as JsonObject), ...given } }));
}

/** A change of the call of one tool. */
function onEcho(change: (message: JsonObject) => unknown): ClientFault {
  return onMessage("tools/call", (message) =>
    (message.params as JsonObject).name === "echo" ? change(message) : message,
  );
}

/** A change of requests with a verb. */
function onVerb(verb: string, change: (call: OutgoingCall) => OutgoingCall): ClientFault {
  return { change: (call) => (call.verb === verb && call.url.pathname === "/mcp" ? change(call) : call) };
}

/** Another request right after one with a method. */
function followedBy(after: string, extra: (call: OutgoingCall) => OutgoingCall): ClientFault {
  let isSent = false;
  return {
    change: (call) => {
      if (isSent || (call.message as JsonObject | undefined)?.method !== after) return call;
      isSent = true;
      return [call, extra(call)];
    },
  };
}

/** By the check that must turn red, for both eras. */
function messageFaults(era: "modern" | "legacy"): Record<string, ClientFault> {
  const faults: Record<string, ClientFault> = {
    accept: onHeader("tools/call", "accept", "application/json"),
    "one-message": onMessage("tools/call", ({ jsonrpc: _old, ...message }) => message),
    "id-types": onEcho((message) => ({ ...message, id: 1.5 })),
    // The first id of the legacy era is that of the probe.
    "ids-unique": onEcho((message) => ({ ...message, id: era === "modern" ? 1 : 2 })),
    "params-objects": onMessage("ping", (message) => ({ ...message, params: [] })),
    "meta-keys": inMeta("tools/call", { "-bad key": 1 }),
    "notification-without-id": extraMessage("tools/list", { id: 900, method: "notifications/future", params: {} }),
    cursor: inParams("tools/list", (params) =>
      typeof params.cursor === "string" ? { ...params, cursor: params.cursor.trim() } : params,
    ),
    "cursor-type": inParams("tools/list", (params) => ("cursor" in params ? params : { ...params, cursor: null })),
    "arguments-object": inParams("tools/call", (params) => ({ ...params, arguments: [] })),
    "progress-token": onEcho((message) => {
      const params = message.params as JsonObject;
      return { ...message, params: { ...params, _meta: { ...(params._meta as JsonObject), progressToken: 1.5 } } };
    }),
    "progress-tokens-unique": inMeta("tools/call", { progressToken: "same" }),
  };
  return Object.fromEntries(Object.entries(faults).map(([id, fault]) => [`client-${era}-${id}`, fault]));
}

/** A list request with params that are no object, as a message of its own. */
function arrayParams(era: "modern" | "legacy"): ClientFault {
  const fault = extraMessage("tools/list", { id: 901, method: "tools/list", params: [] });
  const also = era === "modern" ? ["client-meta-revision", "client-meta-capabilities", "client-meta-identity"] : [];
  return { ...fault, also: [...also, ...(era === "modern" ? ["client-header-version"] : [])] };
}

const NOTIFICATION_ALSO = [
  "client-meta-revision",
  "client-meta-capabilities",
  "client-meta-identity",
  "client-header-version",
  "client-header-method",
];

function extraModern(extra: JsonObject): ClientFault {
  return followedBy("tools/list", (call) => {
    const { params } = call.message as JsonObject;
    const headers = withHeader(call.headers, "mcp-method", String(extra.method));
    return { ...call, headers, message: { jsonrpc: "2.0", params, ...extra } };
  });
}

function withoutMeta(key: string): ClientFault {
  return inParams("tools/call", (params) => {
    const { [`${META}/${key}`]: _old, ...meta } = params._meta as JsonObject;
    return { ...params, _meta: meta };
  });
}

/** The header of an argument as it is, or with another value. */
function rawParam(name: string, value: string | undefined): [string, ClientFault] {
  return [`client-param-${name}`, onHeader("tools/call", `mcp-param-${name}`, value)];
}

/** Bad tools that the client calls, one at a time: those of the others stay out. */
function callsBad(id: string): [string, ClientFault] {
  return [
    `client-bad-annotation-${id}`,
    followedBy("tools/call", (call) => ({
      ...call,
      headers: withHeader(call.headers, "mcp-name", `bad-${id}`),
      message: { ...(call.message as JsonObject), id: 902, params: { name: `bad-${id}` } },
    })),
  ];
}

const STUMBLES: Readonly<Record<string, RegExp>> = {
  event: /^data: \{"jsonrpc":"2.0","id":\d+,"result":\{.*"form-2"/,
  comments: /: comment/,
  crlf: /data: [^\r]*\r\n\r\n/,
  cr: /^data: [^\r]*\r\r/,
  "data-lines": /data: {2}"/,
  "no-space": /data:\{/,
  "byte-order-mark": /^$|"form-8"/,
  "unknown-field": /future: field/,
  cut: /gr\u00F6\u00DFe/,
  "empty-event": /event: message\n\n/,
  "unknown-notification": /notifications\/future/,
  "stray-progress": /stray"?,?"progress|progressToken":"stray/,
  "malformed-log": /malformed/,
  "stray-cancellation": /notifications\/cancelled/,
  "unknown-id": /nobody-asked/,
  duplicate: /isDuplicate/,
};

function formFaults(era: "modern" | "legacy"): [string, ClientFault][] {
  return Object.entries(STUMBLES).map(([id, stumbles]) => [`client-${era}-form-${id}`, { stumbles }]);
}

/** Made anew for each use, since some faults count. */
export function requestFaults(): Record<string, ClientFault> {
  return {
    ...messageFaults("modern"),
    ...messageFaults("legacy"),
    "client-modern-params-objects": arrayParams("modern"),
    "client-legacy-params-objects": arrayParams("legacy"),
    "client-modern-notification-without-id": {
      ...extraMessage("tools/list", { id: 900, method: "notifications/future", params: {} }),
      also: NOTIFICATION_ALSO,
    },
    "client-meta-revision": {
      change: (call) =>
        withoutMeta("protocolVersion").change?.({
          ...call,
          headers:
            (call.message as JsonObject | undefined)?.method === "tools/call"
              ? withHeader(call.headers, "mcp-protocol-version", undefined)
              : call.headers,
        }),
    },
    "client-meta-capabilities": withoutMeta("clientCapabilities"),
    "client-meta-capability-values": inMeta("tools/call", { [`${META}/clientCapabilities`]: { sampling: true } }),
    "client-meta-identity": withoutMeta("clientInfo"),
    "client-meta-spoken-revision": {
      change: (call) => {
        const changed = inMeta("tools/call", { [`${META}/protocolVersion`]: "2025-11-25" }).change?.(call);
        const isCall = (call.message as JsonObject | undefined)?.method === "tools/call";
        return isCall
          ? { ...(changed as OutgoingCall), headers: withHeader(call.headers, "mcp-protocol-version", "2025-11-25") }
          : call;
      },
    },
    "client-meta-log-level": inMeta("tools/call", { [`${META}/logLevel`]: "loud" }),
    "client-header-version": onHeader("tools/call", "mcp-protocol-version", "2025-11-25"),
    "client-header-method": onHeader("tools/call", "mcp-method", undefined),
    "client-header-name": onHeader("tools/call", "mcp-name", "another"),
    "client-header-params": onHeader("tools/call", "mcp-param-region", undefined),
    "client-header-unannotated": onHeader("tools/call", "mcp-param-text", "hello"),
    "client-no-session": onHeader("tools/call", "mcp-session-id", "parley-check-session-1"),
    "client-posts-alone": followedBy("tools/call", (call) => ({
      url: call.url,
      verb: "GET",
      headers: { accept: "text/event-stream" },
    })),
    "client-stays-modern": extraMessage("tools/call", { id: 903, method: "initialize", params: {} }),
    "client-no-initialized": extraMessage("server/discover", { method: "notifications/initialized" }),
    "client-no-ping": extraModern({ id: 904, method: "ping" }),
    "client-no-set-level": extraModern({ id: 905, method: "logging/setLevel" }),
    "client-no-responses": extraMessage("tools/call", { id: 906, result: {} }),
    "client-initialize": inParams("initialize", ({ clientInfo: _old, ...params }) => params),
    "client-initialize-capability-values": inParams("initialize", (params) => ({
      ...params,
      capabilities: { roots: true },
    })),
    "client-initialize-legacy": inParams("initialize", (params) => ({ ...params, protocolVersion: "2026-07-28" })),
    "client-handshake-once": {
      change: (call) => {
        const message = { jsonrpc: "2.0", id: 907, method: "initialize", params: {} };
        return call.verb === "DELETE"
          ? [call, { url: call.url, verb: "POST", headers: { ...call.headers, accept: ACCEPT }, message }]
          : call;
      },
      also: ["client-session-deleted-last"],
    },
    "client-handshake-first": extraMessage("server/discover", { id: 908, method: "tools/list", params: {} }),
    "client-initialized": onMessage("notifications/initialized", (message) => ({
      ...message,
      method: "notifications/future",
    })),
    "client-initialized-once": extraMessage("tools/call", { method: "notifications/initialized" }),
    "client-legacy-no-envelope": inMeta("tools/list", { [`${META}/protocolVersion`]: "2025-11-25" }),
    "client-legacy-no-mirror": {
      change: (call) =>
        call.headers["mcp-session-id"] === undefined || call.verb !== "POST"
          ? call
          : { ...call, headers: withHeader(call.headers, "mcp-method", "tools/list") },
    },
    "client-session-kept": onVerb("GET", (call) => ({
      ...call,
      headers: withHeader(call.headers, "mcp-session-id", undefined),
    })),
    "client-session-not-before": onHeader("initialize", "mcp-session-id", "guessed"),
    "client-version-kept": onVerb("DELETE", (call) => ({
      ...call,
      headers: withHeader(call.headers, "mcp-protocol-version", undefined),
    })),
    "client-stream-accept": onVerb("GET", (call) => ({ ...call, headers: withHeader(call.headers, "accept", "*/*") })),
    "client-session-deleted": { change: (call) => (call.verb === "DELETE" ? undefined : call) },
    "client-session-deleted-last": { change: (call) => (call.verb === "DELETE" ? [call, call] : call) },
    "client-probe-does-not-leak": onHeader("initialize", "mcp-protocol-version", "2026-07-28"),
    "client-roots-changed-declared": extraMessage("tools/list", { method: "notifications/roots/list_changed" }),

    "client-name-non-ascii": onName("größe"),
    "client-name-sentinel": onName("=?base64?c2FuZA==?="),
    "client-name-spaces": onName(" spaced "),
    "client-name-resource": onHeader("resources/read", "mcp-name", "file:///größe.txt"),
    "client-name-prompt": onHeader("prompts/get", "mcp-name", "grüße"),
    ...Object.fromEntries([
      rawParam("non-ascii", "Hello, ??"),
      rawParam("padded", "padded"),
      rawParam("lines", "line1 line2"),
      rawParam("sentinel", "=?base64?c2FuZA==?="),
      rawParam("inner-space", "us+west+1"),
      rawParam("integer", "-42.0"),
      rawParam("boolean", "True"),
      rawParam("null", "null"),
      rawParam("absent", "undefined"),
      rawParam("nested", undefined),
      ...["empty", "space", "colon", "non-ascii", "object", "array", "number", "twice"].map(callsBad),
      ...formFaults("modern"),
      ...formFaults("legacy"),
    ]),
    "client-header-mismatch-lists": { off: "refreshes-headers" },
    "client-header-mismatch-bounded": { off: "bounds-refreshes" },
    "client-unknown-members": { stumbles: /"future"/ },
    "client-modern-notifications-unanswered": extraMessage("tools/list", { id: 1, result: {} }),
    "client-legacy-notifications-unanswered": extraMessage("tools/list", { id: 1, result: {} }),
  };
}

/** The name of a tool as it is, without encoding. */
function onName(name: string): ClientFault {
  return {
    change: (call) => {
      const message = call.message as JsonObject | undefined;
      const isIt = message?.method === "tools/call" && (message.params as JsonObject).name === name;
      return isIt ? { ...call, headers: withHeader(call.headers, "mcp-name", name.trim()) } : call;
    },
  };
}
