/** Tells the dispatcher which of its requests wait for a login, so that their time stands still. */
import type { RequestId } from "../../wire/json-rpc.js";
import type { TransportReceiver } from "../transport.js";
import type { CallHandle } from "./call-handle.js";

export function watchHolds(
  handle: CallHandle,
  ids: readonly RequestId[],
  receiver: () => TransportReceiver | undefined,
): void {
  handle.onHold((until) => {
    for (const id of ids) receiver()?.held?.(id, until);
  });
}
