/** Bounds of a client in items and bytes, whatever its server sends. */
import { LOCAL, type Requirements, SCRIPTED } from "./requirement.js";

export const clientBounds: Requirements = {
  "client:bounds:known-tools": {
    behavior:
      "A client remembers listed tools up to maxKnownTools and maxKnownToolBytes, reports once that it forgot some, and goes on.",
    source: { decision: "known-tools" },
    strength: "decision",
    since: "2025-06-18",
  },
  "client:bounds:known-tools-relisted": {
    behavior: "A client told to check always lists a tool again that it has forgotten, and checks its output.",
    source: { decision: "known-tools" },
    strength: "decision",
    since: "2025-06-18",
  },
  "client:bounds:large-schema": {
    behavior: "A tool whose output schema alone is over maxKnownToolBytes fails its check as unusable-schema.",
    source: { decision: "known-tools" },
    strength: "decision",
    since: "2025-06-18",
  },
  "client:bounds:known-tools-default": {
    behavior: "A client with default options keeps at most 32 MiB of listed tools, and 64 MiB of a refreshed list.",
    source: { decision: "known-tools" },
    strength: "decision",
    over: LOCAL,
  },
  "client:bounds:unread-changes": {
    behavior: "Unread changes of long URIs beneath a watched resource are folded into a change of the watched one.",
    source: { decision: "bounded-by-default" },
    strength: "decision",
    over: SCRIPTED,
  },
  "client:bounds:refresh": {
    behavior: "A refreshed list over maxRefreshBytes is reported as too-large, and its callback is not called.",
    source: { decision: "known-tools" },
    strength: "decision",
    needs: ["session"],
  },
};
