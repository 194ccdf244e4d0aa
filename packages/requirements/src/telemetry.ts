/** Telemetry: trace context in `_meta`, spans around calls, and what server middleware sees going out. */
import { FRAMES, LOCAL, OVER_HTTP, type Requirements } from "./requirement.js";

export const telemetry: Requirements = {
  "telemetry:context:every-revision": {
    behavior: "traceparent, tracestate and baggage of a caller reach handlers of every kind in every revision.",
    source: { decision: "trace-context" },
    strength: "decision",
  },
  "telemetry:context:while-serving": {
    behavior:
      "Trace context that a server puts on progress, log messages and its own notifications reaches the client.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "may",
    needs: ["notifications"],
  },
  "telemetry:context:questions": {
    behavior: "Trace context that a server puts on its requests to a legacy client reaches the client.",
    source: { decision: "trace-context" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "telemetry:context:results": {
    behavior: "Trace context that a handler puts on its result reaches the caller.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "may",
  },
  "telemetry:context:malformed": {
    behavior: "Malformed trace context is no reason to refuse a request, with and without telemetry.",
    source: { decision: "trace-context" },
    strength: "decision",
  },
  "telemetry:context:formats": {
    behavior: "What telemetry sends as traceparent and baggage follows the W3C formats.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "must",
  },
  "telemetry:context:nothing-by-itself": {
    behavior: "Without telemetry neither side adds trace context to anything.",
    source: { decision: "telemetry-is-asked-for" },
    strength: "decision",
  },
  "telemetry:spans:one-trace": {
    behavior:
      "A client span, the server span of the same call and spans of the handler form one trace, each under the last.",
    source: { decision: "telemetry-spans" },
    strength: "decision",
  },
  "telemetry:spans:conventions": {
    behavior: "Spans have the names, kinds and attributes of the semantic conventions for MCP.",
    source: { decision: "telemetry-spans" },
    strength: "decision",
  },
  "telemetry:spans:questions": {
    behavior:
      "A server's request to a legacy client is a client span of the server under the span of the call it is for.",
    source: { decision: "telemetry-spans" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "telemetry:spans:rounds": {
    behavior:
      "Each round of a call that asks for input is a span of its own on both sides, and none of them is an error.",
    source: { decision: "telemetry-spans" },
    strength: "decision",
    since: "2026-07-28",
  },
  "telemetry:spans:notifications": {
    behavior: "Notifications have spans on both sides, and those a server sends while serving lie under the call's.",
    source: { decision: "telemetry-spans" },
    strength: "decision",
    needs: ["notifications"],
  },
  "telemetry:spans:errors": {
    behavior:
      "Errors and failed tools are told by status and error.type; what the caller did wrong is no error of the server.",
    source: { decision: "telemetry-errors" },
    strength: "decision",
  },
  "telemetry:spans:cancelled": {
    behavior: "The span of a served call that was cancelled tells so, with the reason that the caller gave.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#implementation-notes",
    strength: "should",
    over: FRAMES,
  },
  "telemetry:spans:no-payloads": {
    behavior: "Arguments and results are on spans only if telemetry was told so.",
    source: { decision: "telemetry-payloads" },
    strength: "decision",
  },
  "telemetry:harmless": {
    behavior: "Telemetry that fails, or for which nothing is registered, changes no answer.",
    source: { decision: "telemetry-is-harmless" },
    strength: "decision",
  },
  "telemetry:optional": {
    behavior: "Servers and clients load nothing of OpenTelemetry.",
    source: { decision: "telemetry-is-asked-for" },
    strength: "decision",
    over: LOCAL,
  },
  "telemetry:spans:session-digest": {
    behavior: "Spans of a session carry a digest of its id, the same on each of them, and nowhere the id itself.",
    source: { decision: "telemetry-sessions" },
    strength: "decision",
    over: OVER_HTTP,
    until: "2025-11-25",
  },
  "middleware:server:outbound": {
    behavior: "Server middleware runs around what handlers send while they serve a request, and may change or keep it.",
    source: { decision: "middleware" },
    strength: "decision",
    needs: ["notifications"],
  },
  "middleware:server:outbound-requests": {
    behavior: "Server middleware runs around requests to a legacy client, and may change or answer them.",
    source: { decision: "middleware" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "middleware:server:outbound-before-answer": {
    behavior: "A notification that server middleware holds up is sent before the answer to its request.",
    source: { decision: "middleware" },
    strength: "decision",
    needs: ["notifications"],
  },
  "middleware:revision": {
    behavior: "Middleware of either side is told the revision of every call.",
    source: { decision: "middleware" },
    strength: "decision",
    needs: ["notifications"],
  },
};
