/** What readers are told about cells that a requirement is left out of. */
import type { ExclusionReason } from "../cells.js";

export const EXCLUSION_TEXTS: Readonly<Record<ExclusionReason, string>> = {
  "json-rpc-frames": "is about the ids and frames of JSON-RPC",
  "scripted-peer": "one side is played message by message",
  reopened: "needs a connection that can be opened again",
  "http-only": "is about HTTP; the test brings its own server or client",
  "stdio-only": "is about streams and processes; the test brings its own",
  "own-transport": "the test brings its own transport",
  "no-connection": "is about registering or constructing; nothing is connected",
  "not-in-revision": "does not exist in the revision",
  "no-such-connection": "the connection does not exist in the revision",
  "needs-server-requests": "needs requests of the server",
  "needs-notifications": "needs notifications before the answer",
  "needs-session": "needs a session",
  "needs-fake-clock": "needs a clock that the test turns",
  "needs-lockstep": "needs both sides in one event loop turn",
  "needs-one-pipe": "needs one pipe between both sides",
  "needs-long-names": "needs names that are longer than headers allow",
  "needs-one-process": "needs one process that counts",
  "needs-every-revision": "needs other revisions beside that of the cell",
};
