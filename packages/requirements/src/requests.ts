/** The life of one request: cancellation, progress, timeouts, and the end of the connection under it. */
import { FRAMES, type Requirements, SCRIPTED } from "./requirement.js";

export const requests: Requirements = {
  "protocol:cancel:abort-signal": {
    behavior:
      "Aborting a call rejects it as request-aborted at once and aborts the signal of the handler that serves it.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#cancellation-flow",
    strength: "should",
  },
  "protocol:cancel:stream-frame": {
    behavior: "Aborting a call sends exactly one notifications/cancelled that names its request.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#transport-specific-cancellation",
    strength: "must",
    over: FRAMES,
  },
  "protocol:cancel:abort-scoped": {
    behavior: "Aborting one call leaves the calls beside it running to their own results.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#behavior-requirements",
    strength: "must",
  },
  "protocol:cancel:already-aborted": {
    behavior: "A call given a signal that is aborted already rejects and sends nothing.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#behavior-requirements",
    strength: "must",
  },
  "protocol:cancel:settled": {
    behavior: "Aborting the signal of a call that has been answered sends nothing.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#behavior-requirements",
    strength: "must",
  },
  "protocol:cancel:in-flight": {
    behavior: "A cancelled request is not answered, whether its handler then returns or throws.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#behavior-requirements",
    strength: "should",
    over: SCRIPTED,
  },
  "protocol:cancel:id-reused": {
    behavior:
      "A request that takes over a cancelled one's id is served on its own, whenever the first one's handler ends.",
    source: { decision: "duplicate-id-in-flight" },
    strength: "decision",
    over: SCRIPTED,
  },
  "protocol:cancel:handler-abort-propagates": {
    behavior: "An arriving cancellation aborts the signal of the handler it names and of no other.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#behavior-requirements",
    strength: "should",
    over: SCRIPTED,
  },
  "protocol:cancel:unknown-id-ignored": {
    behavior:
      "A cancellation of an unknown or answered request, or a malformed one, is ignored; the next request is served.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#error-handling",
    strength: "should",
    over: SCRIPTED,
  },
  "protocol:cancel:late-response-ignored": {
    behavior: "An answer that arrives after the client cancelled its request is dropped and reported to onError.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#behavior-requirements",
    strength: "should",
    over: SCRIPTED,
  },
  "protocol:cancel:session-survives": {
    behavior: "After a cancellation the same connection serves the next call.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timing-considerations",
    strength: "must",
  },
  "protocol:cancel:initialize-not-cancellable": {
    behavior: "Giving up on connecting during the handshake sends no cancellation of initialize.",
    source:
      "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation#behavior-requirements",
    strength: "must",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "protocol:cancel:discover-not-cancellable": {
    behavior: "Giving up on connecting during the probe sends no cancellation of server/discover.",
    source: { decision: "opening-is-not-cancelled" },
    strength: "decision",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "protocol:cancel:server-to-client": {
    behavior: "A handler that abandons its own request to the client cancels it, and the client's handler is aborted.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation#cancellation-flow",
    strength: "should",
    until: "2025-11-25",
  },
  "protocol:progress:callback": {
    behavior:
      "What a handler reports as progress reaches the caller's callback in order, fields intact, before the result.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    strength: "may",
  },
  "protocol:progress:message": {
    behavior: "A progress report's message reaches the caller's callback.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    strength: "may",
    since: "2025-03-26",
  },
  "protocol:progress:token-injected": {
    behavior: "A progress callback adds a token to the request's _meta and leaves the caller's other keys there.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    strength: "must",
  },
  "protocol:progress:token-unique": {
    behavior:
      "Calls that run at the same time carry different progress tokens, and each callback gets its own reports.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    strength: "must",
  },
  "protocol:progress:no-token": {
    behavior: "Without a callback no token is sent, and the handler's reports go nowhere.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#behavior-requirements",
    strength: "must",
  },
  "protocol:progress:monotonic": {
    behavior: "A report that does not exceed the one before it is not sent.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    strength: "must",
  },
  "protocol:progress:stops-after-completion": {
    behavior: "A report made after the request was answered or cancelled is not sent.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#implementation-notes",
    strength: "must",
  },
  "protocol:progress:late-dropped-by-client": {
    behavior: "Progress that arrives after the answer, or for an unknown token, reaches no callback.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#behavior-requirements",
    strength: "must",
    over: SCRIPTED,
  },
  "protocol:timeout:basic": {
    behavior: "A call that is not answered within its own timeout rejects as request-timeout.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timeouts",
    strength: "should",
  },
  "protocol:timeout:session-default": {
    behavior: "The timeout given when connecting holds for calls without one of their own.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timeouts",
    strength: "should",
  },
  "protocol:timeout:sends-cancellation": {
    behavior: "A call that times out cancels its request: its handler's signal is aborted.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timeouts",
    strength: "should",
  },
  "protocol:timeout:reset-on-progress": {
    behavior: "Progress restarts the timeout if the caller asked for that, and only then.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timeouts",
    strength: "may",
  },
  "protocol:timeout:max-total": {
    behavior: "The maximum timeout ends a call however much progress arrives.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timeouts",
    strength: "should",
  },
  "protocol:timeout:session-survives": {
    behavior: "After a timeout the same connection serves the next call.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timeouts",
    strength: "should",
  },
  "protocol:context:dead-after-request": {
    behavior: "A context kept after its request ended sends nothing: notify and request reject as context-ended.",
    source: { decision: "context-ends-with-request" },
    strength: "decision",
  },
  "protocol:error:connection-closed": {
    behavior: "Closing the connection, from either side, rejects every pending call as connection-closed.",
    source: { decision: "closing-settles-everything" },
    strength: "decision",
  },
  "protocol:close:aborts-handlers": {
    behavior: "Closing the connection aborts the signal of every handler that is serving it.",
    source: { decision: "closing-settles-everything" },
    strength: "decision",
  },
  "protocol:close:calls-rejected": {
    behavior: "A call on a closed client rejects as connection-closed and sends nothing; closing twice is harmless.",
    source: { decision: "closing-settles-everything" },
    strength: "decision",
  },
};
