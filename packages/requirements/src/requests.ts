/** The life of one request: cancellation, progress, timeouts, and the end of the connection under it. */
import { FRAMES, type Requirements, SCRIPTED } from "./requirement.js";

export const requests: Requirements = {
  "protocol:cancel:abort-signal": {
    behavior:
      "Aborting a call rejects it as request-aborted at once and aborts the signal of the handler that serves it.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#cancellation-flow",
    strength: "stated",
    needs: ["session"],
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
    needs: ["session"],
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
  "protocol:cancel:before-start": {
    behavior: "A request that is cancelled before its handler was called never reaches it.",
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
  "protocol:cancel:opening-is-answered": {
    behavior: "A cancellation that names initialize or server/discover is ignored: the request is served and answered.",
    source: { decision: "opening-is-not-cancelled" },
    strength: "decision",
    over: SCRIPTED,
  },
  "protocol:cancel:server-to-client": {
    behavior: "A handler that abandons its own request to the client cancels it, and the client's handler is aborted.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation#cancellation-flow",
    strength: "stated",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "protocol:progress:callback": {
    behavior:
      "What a handler reports as progress reaches the caller's callback in order, fields intact, before the result.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    strength: "may",
    needs: ["notifications"],
  },
  "protocol:progress:message": {
    behavior: "A progress report's message reaches the caller's callback.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    strength: "may",
    since: "2025-03-26",
    needs: ["notifications"],
  },
  "protocol:progress:token-injected": {
    behavior: "A progress callback adds a token to the request's _meta and leaves the caller's other keys there.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    strength: "must",
  },
  "protocol:progress:token-refused": {
    behavior: "A request whose progress token is neither a string nor an integer is answered -32602.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    strength: "must",
    over: SCRIPTED,
  },
  "protocol:progress:token-unique": {
    behavior:
      "Calls that run at the same time carry different progress tokens, and each callback gets its own reports.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    strength: "must",
    needs: ["notifications"],
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
    needs: ["notifications"],
  },
  "protocol:progress:stops-after-completion": {
    behavior: "A report made after the request was answered or cancelled is not sent.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#implementation-notes",
    strength: "must",
    needs: ["notifications"],
  },
  "protocol:progress:late-dropped-by-client": {
    behavior: "Progress that arrives after the answer, or for an unknown token, reaches no callback.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#implementation-notes",
    strength: "should",
    over: SCRIPTED,
  },
  "protocol:progress:client-to-server": {
    behavior:
      "Progress that a client's handler reports on a server's request reaches the callback of the handler that asked.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress#progress-flow",
    strength: "may",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "protocol:progress:rate-limit": {
    behavior:
      "With progressIntervalMs one report goes out per interval, the latest of those kept back, and the last before the answer.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#implementation-notes",
    strength: "should",
    needs: ["notifications", "fake-clock"],
  },
  "protocol:progress:rate-limit-client": {
    behavior:
      "With progressIntervalMs a client's handler reports at most once per interval, and the last before the answer.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress#implementation-notes",
    strength: "should",
    until: "2025-11-25",
    needs: ["server-requests", "notifications", "fake-clock"],
  },
  "protocol:progress:rate-limit-ends": {
    behavior:
      "What a rate limit keeps back is dropped when the request is cancelled, and no timer outlives the request.",
    source: { decision: "progress-interval" },
    strength: "decision",
    needs: ["notifications", "fake-clock"],
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
  "protocol:timeout:by-default": {
    behavior: "A call for which nobody gave a timeout rejects as request-timeout after 60 seconds.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timeouts",
    strength: "should",
    needs: ["fake-clock"],
  },
  "protocol:timeout:sends-cancellation": {
    behavior: "A call that times out cancels its request: its handler's signal is aborted.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timeouts",
    strength: "should",
    needs: ["fake-clock"],
  },
  "protocol:timeout:reset-on-progress": {
    behavior: "Progress restarts the timeout if the caller asked for that, and only then.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timeouts",
    strength: "may",
    needs: ["fake-clock"],
  },
  "protocol:timeout:max-total": {
    behavior: "The maximum timeout ends a call however much progress arrives.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timeouts",
    strength: "should",
    needs: ["fake-clock"],
  },
  "protocol:timeout:session-survives": {
    behavior: "After a timeout the same connection serves the next call.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timeouts",
    strength: "should",
  },
  "protocol:context:unrelated-notifications": {
    behavior:
      "context.notify refuses changes, progress, cancellations and handshakes, and names what sends them; nothing is sent.",
    source: { decision: "notifications-of-requests" },
    strength: "decision",
  },
  "protocol:context:can-ask": {
    behavior:
      "context.canAsk tells what the client declared, as its revision has it; an empty elicitation means forms.",
    source: { decision: "what-a-client-can" },
    strength: "decision",
    needs: ["server-requests"],
  },
  "protocol:context:dead-after-request": {
    behavior: "A context kept after its request ended sends nothing: notify and request reject as context-ended.",
    source: { decision: "context-ends-with-request" },
    strength: "decision",
    needs: ["session"],
  },
  "protocol:error:connection-closed": {
    behavior: "Closing the connection, from either side, rejects every pending call as connection-closed.",
    source: { decision: "closing-settles-everything" },
    strength: "decision",
    needs: ["one-pipe"],
  },
  "protocol:close:aborts-handlers": {
    behavior: "Closing the connection aborts the signal of every handler that is serving it.",
    source: { decision: "closing-settles-everything" },
    strength: "decision",
    needs: ["one-pipe"],
  },
  "protocol:close:calls-rejected": {
    behavior: "A call on a closed client rejects as connection-closed and sends nothing; closing twice is harmless.",
    source: { decision: "closing-settles-everything" },
    strength: "decision",
  },
  "protocol:close:no-timers": {
    behavior:
      "Closing leaves no timer of the connection's calls running, and time limits end no call of the next connection.",
    source: { decision: "closing-settles-everything" },
    strength: "decision",
    needs: ["lockstep"],
  },
};
