/** A tap hears the bytes of one connection in both directions, and writes down the messages in them. */
import type { Revision } from "parley-requirements";
import type { ConnectionLog } from "../wire-log.js";

export interface Tap {
  fromClient(bytes: Buffer): void;
  fromServer(bytes: Buffer): void;
  /** The connection is closed. */
  close(): void;
}

/** Opens a log of the running test. Its messages have the given revision unless they name another. */
export type OpenTapLog = (revision: Revision) => ConnectionLog;

/** The revision of messages that tell none. */
export const DEFAULT_REVISION: Revision = "2025-11-25";
