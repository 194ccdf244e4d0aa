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
};
