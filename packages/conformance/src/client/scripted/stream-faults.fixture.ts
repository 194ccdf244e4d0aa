/** A fault for each check of subscriptions, HTTP+SSE, endless responses and client ids. */
import { isObject, type JsonObject } from "../../wire/json-rpc.js";
import {
  type ClientFault,
  extraMessage,
  messageOf,
  type OutgoingCall,
  onMessage,
  without,
} from "./client-fault.fixture.js";

const LISTEN = "subscriptions/listen";
const SUBSCRIBE = "resources/subscribe";

function subscriptionFaults(place: "" | "stdio-"): Record<string, ClientFault> {
  const faults: Record<string, ClientFault> = {
    filter: onMessage(LISTEN, (message) => ({
      ...message,
      params: { ...(message.params as JsonObject), notifications: { toolsListChanged: "yes" } },
    })),
    meta: onMessage(LISTEN, (message) => {
      const params = message.params as JsonObject;
      const { "io.modelcontextprotocol/clientCapabilities": _old, ...meta } = params._meta as JsonObject;
      return { ...message, params: { ...params, _meta: meta } };
    }),
    closed: { off: "ends-subscription" },
    unanswered: extraMessage("tools/list", { id: 1, result: {} }),
    "ended-not-cancelled": { off: "forgets-ended-subscription" },
    "ended-goes-on": { off: "goes-on-after-subscription" },
  };
  return Object.fromEntries(Object.entries(faults).map(([name, fault]) => [`client-${place}listen-${name}`, fault]));
}

function watchFaults(place: "" | "stdio-"): Record<string, ClientFault> {
  const toUri = (method: string, uri: string) => onMessage(method, (message) => ({ ...message, params: { uri } }));
  let isOver = false;
  return {
    [`client-${place}subscribe-uri`]: {
      ...toUri(SUBSCRIBE, "note://FIRST"),
      also: [`client-${place}unsubscribe-uri`],
    },
    [`client-${place}subscribe-once`]: {
      change: (call) => (messageOf(call).method === SUBSCRIBE ? [call, call] : call),
    },
    [`client-${place}subscribe-undeclared`]: extraMessage("resources/list", {
      id: 910,
      method: SUBSCRIBE,
      params: { uri: "note://first" },
    }),
    [`client-${place}unsubscribe-uri`]: toUri("resources/unsubscribe", "note://second"),
    [`client-${place}unsubscribed`]: without((method) => method === "resources/unsubscribe"),
    [`client-${place}updated-unanswered`]: extraMessage("resources/unsubscribe", { id: 1, result: {} }),
    [`client-${place}updated-goes-on`]: {
      ...without((method) => {
        const isDropped = isOver;
        isOver ||= method === SUBSCRIBE;
        return isDropped;
      }),
      also: [`client-${place}unsubscribed`],
    },
  };
}

/** Changes messages of one method that go to the endpoint of HTTP+SSE, after the refused handshake. */
function overSse(method: string, change: (call: OutgoingCall) => OutgoingCall | OutgoingCall[]): ClientFault {
  let isOpen = false;
  return {
    change: (call) => {
      isOpen ||= call.verb === "GET";
      return isOpen && messageOf(call).method === method ? change(call) : call;
    },
  };
}

function sseFaults(): Record<string, ClientFault> {
  const metadata = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
  return {
    ...Object.fromEntries(
      [400, 404, 405].map((status) => [`client-sse-after-${status}`, { off: "opens-sse-stream" } as const]),
    ),
    "client-sse-not-after-modern-error": {
      change: (call) =>
        messageOf(call).method === "server/discover" ? [call, { url: call.url, verb: "GET", headers: {} }] : call,
    },
    "client-sse-accept": {
      change: (call) => (call.verb === "GET" ? { ...call, headers: { accept: "*/*" } } : call),
    },
    "client-sse-endpoint": { off: "resolves-endpoint" },
    "client-sse-endpoint-url": { off: "resolves-endpoint" },
    "client-sse-endpoint-origin": { off: "compares-endpoint-origin" },
    "client-sse-events-ahead": { off: "waits-for-endpoint-name" },
    "client-sse-initialize": overSse("initialize", (call) => ({
      ...call,
      message: { ...(call.message as JsonObject), params: { protocolVersion: "2024-11-05" } },
    })),
    "client-sse-initialized": overSse("notifications/initialized", (call) => ({
      ...call,
      message: { jsonrpc: "2.0", method: "notifications/future" },
    })),
    "client-sse-goes-on": without((method) => method === "tools/call"),
    "client-sse-ping": { off: "answers-requests" },
    "client-sse-no-envelope": overSse("tools/list", (call) => ({
      ...call,
      message: { ...(call.message as JsonObject), params: metadata },
    })),
    "client-sse-ids-unique": overSse("tools/list", (call) => [call, call]),
  };
}

/** Registers although there is a client id, at the first authorization request. */
function registersToo(call: OutgoingCall): OutgoingCall | OutgoingCall[] {
  if (call.url.pathname !== "/authorize") return call;
  return [call, { url: new URL("/register", call.url), verb: "POST", headers: {}, message: { redirect_uris: [] } }];
}

/** Another client id at the token endpoint. */
function otherIdAtToken(call: OutgoingCall): OutgoingCall {
  return call.form ? { ...call, form: { ...call.form, client_id: "another" } } : call;
}

export const STREAM_FAULTS: Readonly<Record<string, ClientFault>> = {
  ...subscriptionFaults(""),
  ...subscriptionFaults("stdio-"),
  ...watchFaults(""),
  ...watchFaults("stdio-"),
  ...sseFaults(),
  "client-stdio-listen-restored": { off: "restores-subscription" },
  "client-endless-body": { off: "limits-size" },
  "client-endless-event": { off: "limits-size" },
  "client-endless-goes-on": {
    change: (call) =>
      isObject(call.message) && isObject(call.message.params) && call.message.params.name === "after"
        ? undefined
        : call,
  },
  "client-metadata-url-not-registered": { change: registersToo },
  "client-metadata-url-token": { change: otherIdAtToken },
  "client-metadata-url-unsupported": { off: "asks-for-metadata-url" },
  "client-registered-not-again": { change: registersToo },
  "client-registered-token": { change: otherIdAtToken },
};
