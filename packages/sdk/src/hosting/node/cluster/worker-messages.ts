/** The messages between the primary process of `node:cluster` and its workers. */
import { isJsonObject } from "../../../runtime/json.js";
import type { AnnouncedChange } from "../../../server/changes/change-bus.js";

export type WorkerMessage =
  /** A worker asks for what the workers share. */
  | { readonly parley: "join" }
  /** `stateKey` is in base64. `folder` has the sockets of the workers. */
  | { readonly parley: "joined"; readonly stateKey: string; readonly folder: string }
  /** From a worker to the primary, and from there to all workers. */
  | { readonly parley: "change"; readonly change: AnnouncedChange };

/** One end of the channel between a worker and the primary. */
export interface MessageChannel {
  send(message: WorkerMessage): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
}

/** A message of ours. Programs send other messages over the same channel. */
export function workerMessageIn(message: unknown): WorkerMessage | undefined {
  // The peer is the same program, so the other members are there.
  return isJsonObject(message) && typeof message.parley === "string"
    ? (message as unknown as WorkerMessage)
    : undefined;
}
