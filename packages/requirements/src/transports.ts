/** Transports as such: anybody's own, and without a client or a server around them. */
import { OWN_TRANSPORT, type Requirements } from "./requirement.js";

export const transports: Requirements = {
  "transport:custom:client-connect": {
    behavior: "A client and a server meet over any object that can start, send and close, in both eras.",
    source: { decision: "own-transports" },
    strength: "decision",
    over: OWN_TRANSPORT,
  },
  "transport:standalone:raw-relay": {
    behavior: "Two transports without a client or a server relay a conversation, message by message, in both eras.",
    source: { decision: "own-transports" },
    strength: "decision",
    over: OWN_TRANSPORT,
  },
  "transport:large-results": {
    behavior: "A result of 5 MiB reaches its caller over every connection, since a client accepts messages of 16 MiB.",
    source: { decision: "one-limit-for-messages" },
    strength: "decision",
  },
  "transport:oversized-answer": {
    behavior:
      "An answer over the limit rejects its call at once, and the error names the call and the option that raises it.",
    source: { decision: "one-limit-for-messages" },
    strength: "decision",
    over: OWN_TRANSPORT,
  },
  "transport:connect-advice": {
    behavior:
      "Connecting and listening that fail say what to look at: what is refused, taken, misspelled or behind a proxy.",
    source: { decision: "errors-with-advice" },
    strength: "decision",
    over: OWN_TRANSPORT,
  },
  "transport:errors-name-the-call": {
    behavior: "The error of a call that is late, lost or refused names the tool, prompt or resource and the way out.",
    source: { decision: "errors-with-advice" },
    strength: "decision",
    over: OWN_TRANSPORT,
  },
  "transport:author-stack": {
    behavior: "The stack of an error that connecting rejects with begins where the author called.",
    source: { decision: "errors-with-advice" },
    strength: "decision",
    over: OWN_TRANSPORT,
  },
};
