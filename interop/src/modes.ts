/** What the protocol itself does not have in an era, or over a kind of connection. */
import { type Feature, lack } from "./features.js";

type Lacks = Partial<Record<Feature, string>>;

export const modern: Lacks = {
  ...lack("not in this revision", "ping", "resumption", "session forgotten", "session deletion"),
};

export const legacy: Lacks = { ...lack("not in this revision", "listen") };

const noSessions: Lacks = lack("no sessions", "resumption", "session forgotten", "session deletion");

export const overStdio: Lacks = noSessions;
export const overSse: Lacks = noSessions;

export const stateless: Lacks = {
  ...noSessions,
  ...lack(
    "stateless: nothing can be asked or told outside of an answer",
    "cancellation",
    "elicitation",
    "URL elicitation",
    "sampling",
    "roots",
    "input rounds",
    "resource updates",
    "list changes",
  ),
};

/** Answers without a stream have no room for anything else. */
export const plainJson: Lacks = lack(
  "plain JSON: nothing but the answer",
  "progress",
  "progress in one burst",
  "logging",
  "elicitation",
  "URL elicitation",
  "sampling",
  "roots",
  "input rounds",
  "resumption",
);
