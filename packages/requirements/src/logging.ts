/** Log messages that a server sends to the client while it serves it. */
import { type Requirements, SCRIPTED } from "./requirement.js";

export const logging: Requirements = {
  "logging:capability:declared": {
    behavior: "A server that logs announces the logging capability, and one that does not, does not.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#capabilities",
    strength: "must",
  },
  "logging:capability:undeclared": {
    behavior: "Logging on a server that did not declare it throws capability-not-supported, and nothing is sent.",
    source: { decision: "log-without-capability" },
    strength: "decision",
  },
  "logging:notify:refused": {
    behavior: "A log message sent with context.notify is refused and names context.log; nothing is sent.",
    source: { decision: "log-in-one-way" },
    strength: "decision",
  },
  "logging:message:fields": {
    behavior: "Level, logger and data reach the client's handler as the server logged them; a logger may be left out.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#log-message-notifications",
    strength: "stated",
    needs: ["notifications"],
  },
  "logging:message:any-data": {
    behavior: "The data of a message is any JSON value: objects, arrays, text, numbers, booleans and null.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#loggingmessagenotificationparams",
    strength: "stated",
    needs: ["notifications"],
  },
  "logging:message:not-json": {
    behavior: "What JSON would lose arrives readably, and what it cannot write never fails the handler that logs it.",
    source: { decision: "log-data" },
    strength: "decision",
    needs: ["notifications"],
  },
  "logging:message:copied": {
    behavior: "A message shows its data as it was when it was logged.",
    source: { decision: "log-data" },
    strength: "decision",
    needs: ["notifications"],
  },
  "logging:message:all-levels": {
    behavior: "Each of the eight severities goes out under its own name.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#log-levels",
    strength: "stated",
    needs: ["notifications", "session"],
  },
  "logging:message:malformed": {
    behavior: "A client drops and reports a message without data or with an unknown level, and goes on.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#security",
    strength: "should",
    over: SCRIPTED,
  },
  "logging:message:rate-limit": {
    behavior:
      "A request sends at most maxLogMessagesPerSecond messages, and one more that says how many were left out.",
    source: { decision: "log-rate" },
    strength: "decision",
    needs: ["notifications"],
  },
  "logging:message:after-request": {
    behavior: "What is logged after the request was answered or cancelled is not sent, and does not throw.",
    source: { decision: "log-belongs-to-request" },
    strength: "decision",
    needs: ["notifications"],
  },
  "tools:call:logging-mid-execution": {
    behavior: "What a tool logs reaches the client while the tool runs, in order and before the result.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#log-message-notifications",
    strength: "stated",
    needs: ["notifications"],
  },
  "mcpserver:context:logging": {
    behavior:
      "context.log works in tools, prompts, resources, templates, completers, methods of one's own and middleware.",
    source: { decision: "log-belongs-to-request" },
    strength: "decision",
    needs: ["notifications"],
  },
  "logging:set-level": {
    behavior: "Setting the level is answered with an empty result.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#setting-log-level",
    strength: "stated",
    until: "2025-11-25",
  },
  "logging:message:filtered": {
    behavior: "Once a level is set, exactly the messages at that level and above are sent.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#setting-log-level",
    strength: "stated",
    until: "2025-11-25",
    needs: ["notifications", "session"],
  },
  "logging:set-level:mid-request": {
    behavior: "A level that is set counts from then on, also for requests that are being served.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#message-flow",
    strength: "stated",
    until: "2025-11-25",
    needs: ["notifications", "session"],
  },
  "logging:set-level:default": {
    behavior: "Until a level is set, messages from info on are sent.",
    source: { decision: "legacy-log-level" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["notifications"],
  },
  "logging:set-level:per-connection": {
    behavior: "A level counts for the connection it was set on, and for no other client of the server.",
    source: { decision: "legacy-log-level" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["notifications", "session"],
  },
  "logging:set-level:invalid-level": {
    behavior: "An unknown or missing level is answered -32602 with the path, and the level stays as it was.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#error-handling",
    strength: "should",
    until: "2025-11-25",
    needs: ["notifications", "session"],
  },
  "logging:set-level:not-declared": {
    behavior: "A server that did not declare logging answers logging/setLevel with -32601.",
    source: { decision: "log-without-capability" },
    strength: "decision",
    until: "2025-11-25",
  },
  "logging:set-level:not-in-modern": {
    behavior: "In the modern era setting a level is refused on the client as method-not-in-revision, and not sent.",
    source: { decision: "methods-by-revision" },
    strength: "decision",
    since: "2026-07-28",
  },
  "logging:per-request:opt-in": {
    behavior: "A request without a log level gets no messages, also while another one on its connection gets some.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#per-request-log-level",
    strength: "must",
    since: "2026-07-28",
  },
  "logging:per-request:threshold": {
    behavior: "Exactly the messages at the request's log level and above are sent.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#per-request-log-level",
    strength: "must",
    since: "2026-07-28",
  },
  "logging:per-request:own-stream": {
    behavior: "Messages are handed to the transport as belonging to the request that set the log level.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#per-request-log-level",
    strength: "must",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "logging:per-request:invalid-level": {
    behavior: "A request with an unknown log level is answered -32602 with the path, and its handler does not run.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#error-handling",
    strength: "should",
    since: "2026-07-28",
  },
  "logging:per-request:client-option": {
    behavior:
      "The log level of a call goes out beside the caller's own _meta in the modern era, and not in a legacy one.",
    source: { decision: "log-level-by-era" },
    strength: "decision",
  },
  "logging:per-request:legacy-ignores": {
    behavior: "A log level in the _meta of a legacy request is neither checked nor followed.",
    source: { decision: "log-level-by-era" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["notifications", "session"],
  },
  "logging:per-request:input-rounds": {
    behavior: "Every round of a call logs under the call's level, and what is logged inside once goes out once.",
    source: { decision: "log-in-input-rounds" },
    strength: "decision",
    since: "2026-07-28",
  },
};
