/** How the two eras find each other: the modern envelope, discovery, the client's probe, and the compatibility matrix. */
import { type Requirements, SCRIPTED } from "./requirement.js";

export const negotiation: Requirements = {
  "lifecycle:stateless:request-envelope": {
    behavior:
      "Every modern request names its revision and the client's capabilities in _meta, with no handshake before.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "must",
    since: "2026-07-28",
  },
  "lifecycle:stateless:no-earlier-context": {
    behavior: "A handler sees the identity and capabilities of its own request, whatever an earlier request declared.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#statelessness",
    strength: "must",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "lifecycle:stateless:caller-meta-preserved": {
    behavior: "The caller's own _meta keys survive beside the envelope, whose three keys win over the caller's values.",
    source: { decision: "protocol-meta-wins" },
    strength: "decision",
    since: "2026-07-28",
  },
  "lifecycle:stateless:unpinned-legacy-wire": {
    behavior: "A legacy session's messages carry no envelope keys, resultType, cache hints or serverInfo.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
    strength: "stated",
    until: "2025-11-25",
    needs: ["every-revision"],
  },
  "lifecycle:envelope:client-info": {
    behavior: "Every modern request carries the client's identity, and the handler reads it.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "should",
    since: "2026-07-28",
  },
  "lifecycle:envelope:not-on-notifications": {
    behavior: "A modern client's notifications carry no envelope keys.",
    source: { decision: "no-envelope-on-notifications" },
    strength: "decision",
    since: "2026-07-28",
  },
  "lifecycle:discover:basic": {
    behavior: "server/discover answers with the server's revisions, capabilities and, in _meta, its identity.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/discover#response",
    strength: "stated",
    since: "2026-07-28",
  },
  "lifecycle:discover:capabilities:from-handlers": {
    behavior: "Discovery announces a capability for each area something is registered in, and for no other.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/discover#discoverresult",
    strength: "stated",
    since: "2026-07-28",
  },
  "lifecycle:discover:instructions": {
    behavior: "A server's instructions are readable on the client after discovery, and absent if it has none.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/discover#discoverresult",
    strength: "may",
    since: "2026-07-28",
  },
  "lifecycle:discover:server-identity": {
    behavior: "The identity a modern client shows for its server is the one in the _meta of the discovery result.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/discover#discoverresult",
    strength: "should",
    since: "2026-07-28",
  },
  "lifecycle:discover:probe-first": {
    behavior:
      "An unpinned client's first message is server/discover, and with a modern server nothing else precedes calls.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility",
    strength: "should",
    since: "2026-07-28",
  },
  "lifecycle:discover:retry-on-32022": {
    behavior:
      "A probe answered -32022 is followed by the newest revision of its supported list that the client speaks.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation",
    strength: "should",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:discover:no-fallback-on-modern-error": {
    behavior:
      "A probe answered -32020, -32021, or -32022 with nothing shared fails the connection; no initialize is sent.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility",
    strength: "stated",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "lifecycle:discover:fallback-method-not-found": {
    behavior: "A probe answered with any other error, whatever its code, is followed by initialize.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility",
    strength: "must",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:discover:fallback-silent": {
    behavior: "A probe that is not answered within its time is followed by initialize, and its late answer is dropped.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility",
    strength: "should",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:discover:fallback-odd-result": {
    behavior: "A probe answered with a result that is no discovery result is followed by initialize.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions",
    strength: "should",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:discover:slow-modern-server": {
    behavior:
      "A server that misses the probe's time and refuses initialize with -32022 and a shared modern revision is probed again.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions",
    strength: "should",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "lifecycle:discover:network-error-raises": {
    behavior: "A connection that fails during the probe fails connecting; it is not taken for a legacy server.",
    source: { decision: "probe-network-failure" },
    strength: "decision",
    over: SCRIPTED,
  },
  "lifecycle:mode:legacy-never-probes": {
    behavior: "A client pinned to a legacy revision opens with initialize for it and never probes.",
    source: { decision: "client-pins" },
    strength: "decision",
    until: "2025-11-25",
  },
  "lifecycle:mode:pin-never-handshakes": {
    behavior:
      "A client pinned to a modern revision sends no negotiation: the caller's own request goes first, and is served.",
    source: { decision: "client-pins" },
    strength: "decision",
    since: "2026-07-28",
  },
  "lifecycle:mode:prior-discover-zero-rtt": {
    behavior: "The negotiation result of an earlier modern connection connects a new client without a message.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions",
    strength: "may",
    since: "2026-07-28",
  },
  "lifecycle:mode:prior-refused": {
    behavior:
      "A client whose stored negotiation result the server refuses asks the server again, once, and sends its request anew.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions",
    strength: "should",
    until: "2025-11-25",
  },
  "lifecycle:mode:prior-confirmed": {
    behavior:
      "A stored negotiation result whose first request fails is asked for once; if it is right, the error reaches the caller.",
    source: { decision: "doubted-revisions" },
    strength: "decision",
    since: "2026-07-28",
  },
  "lifecycle:mode:prior-legacy-no-probe": {
    behavior:
      "The negotiation result of an earlier legacy connection lets a new client open with initialize, without a probe.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions",
    strength: "may",
    until: "2025-11-25",
  },
  "lifecycle:mode:prior-outdated": {
    behavior: "A server that refuses the handshake its earlier negotiation result promised is probed afresh.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions",
    strength: "may",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:mode:prior-outside-list": {
    behavior:
      "An earlier negotiation result in a revision outside the client's list is set aside, and the server is asked afresh.",
    source: { decision: "revisions-option" },
    strength: "decision",
    needs: ["every-revision"],
  },
  "lifecycle:matrix:modern-client-modern-server": {
    behavior: "A modern-only client and a modern-only server hold a conversation.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
    strength: "stated",
    since: "2026-07-28",
  },
  "lifecycle:matrix:modern-client-legacy-server": {
    behavior:
      "A modern-only client fails to connect to a legacy-only server after its probe, and the error says what would help.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
    strength: "should",
    until: "2025-11-25",
    needs: ["every-revision"],
  },
  "lifecycle:matrix:modern-client-silent-server": {
    behavior: "A modern-only client whose probe stays unanswered fails to connect when the probe's time is up.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
    strength: "should",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "lifecycle:matrix:dual-client-modern-server": {
    behavior: "A client of both eras stays modern with a modern-only server.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
    strength: "stated",
    since: "2026-07-28",
  },
  "lifecycle:matrix:dual-client-legacy-server": {
    behavior: "A client of both eras falls back to the handshake with a legacy-only server.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
    strength: "stated",
    until: "2025-11-25",
  },
  "lifecycle:matrix:legacy-client-modern-server": {
    behavior: "A modern-only server refuses initialize with an error that names the revisions it speaks.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
    strength: "should",
    until: "2025-11-25",
    needs: ["every-revision"],
  },
  "lifecycle:matrix:legacy-client-dual-server": {
    behavior: "A server of both eras answers a legacy client's initialize and serves it at the negotiated revision.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
    strength: "stated",
    until: "2025-11-25",
  },
  "lifecycle:matrix:legacy-client-legacy-server": {
    behavior: "A legacy-only client and a legacy-only server hold a conversation.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
    strength: "stated",
    until: "2025-11-25",
  },
  "lifecycle:dual-era:one-instance": {
    behavior: "One server instance serves a legacy and a modern client at the same time, each by its own rules.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
    strength: "may",
    needs: ["every-revision"],
  },
  "lifecycle:dual-era:interleaved": {
    behavior:
      "On a legacy session's connection a request with a modern envelope is served statelessly, as a modern one.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
    strength: "may",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:dual-era:legacy-meta-unchecked": {
    behavior: "A legacy session's request is served without _meta and with any _meta that names no revision.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
    strength: "stated",
    until: "2025-11-25",
    over: SCRIPTED,
  },
};
