/** What goes wrong and who is told what: error answers, handler failures, results that are not what they should be. */
import { FRAMES, type Requirements, SCRIPTED } from "./requirement.js";

export const errors: Requirements = {
  "protocol:error:method-not-found": {
    behavior: "A request for a method that has no handler is answered -32601, and the message names the method.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes",
    strength: "must",
  },
  "protocol:error:invalid-params": {
    behavior:
      "Params of the wrong shape are answered -32602, and the message names the path and what was expected there.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes",
    strength: "must",
    over: SCRIPTED,
  },
  "errors:message:short": {
    behavior:
      "An error about an unknown method, tool, prompt or resource repeats at most 100 characters of its name in the message.",
    source: { decision: "messages-quote-little" },
    strength: "decision",
  },
  "protocol:error:internal-error": {
    behavior:
      "A handler that throws anything but a protocol error is answered -32603 without a trace of what it threw.",
    source: { decision: "handler-crash-is-opaque" },
    strength: "decision",
  },
  "errors:handler:reported": {
    behavior: "What such a handler threw is reported to the server's onError as the cause of a handler-failed error.",
    source: { decision: "handler-crash-is-opaque" },
    strength: "decision",
  },
  "errors:handler:deliberate-internal": {
    behavior: "A protocol error of code -32603 that a handler throws keeps its message and data and is not reported.",
    source: { decision: "handler-crash-is-opaque" },
    strength: "decision",
  },
  "errors:received:unassigned-codes": {
    behavior: "An error with a code from -32000 to -32019 reaches the caller as it came, and the connection goes on.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes",
    strength: "must",
    over: SCRIPTED,
  },
  "errors:received:opaque": {
    behavior:
      "A received error that escapes a handler is answered -32603, or as a failed tool; onError alone hears what it was.",
    source: { decision: "received-errors-stay-here" },
    strength: "decision",
  },
  "errors:received:rethrown": {
    behavior: "A received error that a handler throws anew as an error of its own reaches the caller unchanged.",
    source: { decision: "received-errors-stay-here" },
    strength: "decision",
  },
  "errors:received:client-handler": {
    behavior:
      "An error that a client's handler received from another peer is answered -32603 to the server that asked.",
    source: { decision: "received-errors-stay-here" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "protocol:error:data-roundtrip": {
    behavior: "The code, message and data of a protocol error that a handler throws reach the caller unchanged.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#error-responses",
    strength: "must",
  },
  "errors:reserved-codes:modern": {
    behavior:
      "A code from -32099 to -32000 that the revision does not define leaves as -32603, -32002 as -32602; onError hears it.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes",
    strength: "must",
    since: "2026-07-28",
  },
  "errors:reserved-codes:legacy": {
    behavior:
      "-32042 leaves a server in 2025-11-25 alone, and only with the pages in its data; otherwise it is -32603.",
    source: { decision: "reserved-error-codes" },
    strength: "decision",
    until: "2025-11-25",
  },
  "errors:handler:subclass-flattened": {
    behavior:
      "A subclass of the protocol error reaches the caller as the base error with equal code, message and data.",
    source: { decision: "errors-flatten" },
    strength: "decision",
  },
  "errors:local:distinguishable": {
    behavior:
      "A peer's error answer rejects as ProtocolError with a number, a failure on this side as SdkError with a name.",
    source: { decision: "two-error-families" },
    strength: "decision",
  },
  "errors:local:method-not-in-revision": {
    behavior:
      "Calling what the connection's revision does not have rejects as method-not-in-revision; nothing is sent.",
    source: { decision: "methods-by-revision" },
    strength: "decision",
  },
  "errors:result:unserializable": {
    behavior: "A handler's result that has no JSON form is answered -32603 and reported to onError.",
    source: { decision: "handler-crash-is-opaque" },
    strength: "decision",
    over: FRAMES,
  },
  "errors:result:invalid": {
    behavior:
      "An answer that lacks what its method promises rejects as invalid-result, and the message names the path.",
    source: { decision: "results-are-checked" },
    strength: "decision",
    over: SCRIPTED,
  },
  "errors:result:malformed-parts": {
    behavior:
      "A malformed optional field or item of a list, of contents or of content is left out and reported; the rest reaches the caller.",
    source: { decision: "malformed-parts" },
    strength: "decision",
    over: SCRIPTED,
  },
  "errors:result:unknown-type": {
    behavior: "A result whose resultType the client does not know rejects as unknown-result-type.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype",
    strength: "must",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "errors:result:absent-type": {
    behavior: "A result without resultType is taken as complete.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype",
    strength: "must",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "errors:modern:missing-meta": {
    behavior: "A modern request that lacks the revision or the client capabilities in _meta is answered -32602.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "must",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "errors:modern:ill-typed-meta": {
    behavior: "Envelope keys of the wrong type are answered -32602, and the message names the key.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "must",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "errors:modern:unsupported-revision": {
    behavior: "A revision that the server does not speak is answered -32022 with data.requested and data.supported.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation",
    strength: "must",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "errors:modern:supported-list": {
    behavior: "data.supported holds all the server's revisions, but only modern ones if the refused one is among them.",
    source: { decision: "unsupported-revision-list" },
    strength: "decision",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "errors:legacy:missing-client-capability": {
    behavior:
      "A legacy handler that needs an undeclared client capability is answered -32602 with requiredCapabilities.",
    source: { decision: "missing-capability-in-legacy" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["session"],
  },
  "errors:modern:missing-client-capability": {
    behavior:
      "A handler that needs a capability the request did not declare is answered -32021 with requiredCapabilities.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "must",
    since: "2026-07-28",
  },
  "errors:modern:check-order": {
    behavior:
      "A modern request with several faults is answered for the first: _meta, revision, method, params, capability.",
    source: { decision: "modern-check-order" },
    strength: "decision",
    since: "2026-07-28",
    over: SCRIPTED,
  },
};
