/** The notification that cancels a request, and the requests it may never name. */
import type { JsonRpcNotification, RequestId } from "../wire/json-rpc.js";

export const CANCELLED = "notifications/cancelled";

/** The two requests that open a conversation are never cancelled on the wire, by either side. */
export function isCancellable(method: string): boolean {
  return method !== "initialize" && method !== "server/discover";
}

export function cancelledNotification(requestId: RequestId, reason: string): JsonRpcNotification {
  return { jsonrpc: "2.0", method: CANCELLED, params: { requestId, reason } };
}
