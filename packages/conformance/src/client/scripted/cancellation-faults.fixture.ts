/** A fault for each check of cancellation. */
import { isObject, type JsonObject } from "../../wire/json-rpc.js";
import { type ClientFault, extraMessage, onMessage } from "./client-fault.fixture.js";

const CANCELLED = "notifications/cancelled";

function notificationFaults(place: string): Record<string, ClientFault> {
  return {
    [`client-${place}-cancel-sent`]: { off: "gives-up" },
    [`client-${place}-cancel-names-request`]: onMessage(CANCELLED, (message) => ({
      ...message,
      params: { requestId: String((message.params as JsonObject).requestId) },
    })),
    [`client-${place}-cancel-once`]: {
      change: (call) => (isObject(call.message) && call.message.method === CANCELLED ? [call, call] : call),
    },
    [`client-${place}-cancel-goes-on`]: { off: "goes-on-after-giving-up" },
  };
}

export const CANCELLATION_FAULTS: Readonly<Record<string, ClientFault>> = {
  "client-modern-cancel-closes": { off: "gives-up" },
  "client-modern-cancel-not-posted": extraMessage("tools/call", { method: CANCELLED, params: { requestId: 1 } }),
  "client-modern-cancel-goes-on": { off: "goes-on-after-giving-up" },
  ...notificationFaults("legacy"),
  ...notificationFaults("stdio-modern"),
  ...notificationFaults("stdio-legacy"),
};
