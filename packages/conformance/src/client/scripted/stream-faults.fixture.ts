/** A fault for each check of subscriptions, endless responses and client ids. */
import { isObject, type JsonObject } from "../../wire/json-rpc.js";
import { type ClientFault, extraMessage, type OutgoingCall, onMessage } from "./client-fault.fixture.js";

const LISTEN = "subscriptions/listen";

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
