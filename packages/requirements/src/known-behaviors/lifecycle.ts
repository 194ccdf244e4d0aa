/** Opening a conversation: handshake, discovery, capabilities, ping. */
import type { KnownBehaviors } from "./known-behavior.js";

export const lifecycleBehaviors: KnownBehaviors = {
  same: [
    "lifecycle:capability:client-not-declared",
    "lifecycle:initialize:basic",
    "lifecycle:initialize:server-info",
    "lifecycle:initialize:instructions",
    "lifecycle:initialize:capabilities:from-handlers",
    "lifecycle:initialize:capabilities:minimal",
    "lifecycle:initialize:client-info",
    "lifecycle:initialize:client-capabilities",
    "lifecycle:initialized-notification",
    "ping:client-to-server",
    "ping:server-to-client",
    "lifecycle:requests-before-initialized",
    "lifecycle:pre-initialization-ordering",
    "lifecycle:version:downgrade",
    "lifecycle:version:match",
    "lifecycle:version:server-fallback-latest",
    "lifecycle:version:reject-unsupported",
    "lifecycle:stateless:request-envelope",
    "lifecycle:stateless:caller-meta-preserved",
    "lifecycle:stateless:unpinned-legacy-wire",
    "lifecycle:discover:basic",
    "lifecycle:discover:retry-on-32022",
    "lifecycle:discover:fallback-method-not-found",
    "lifecycle:discover:network-error-raises",
    "lifecycle:mode:legacy-never-probes",
    "lifecycle:mode:pin-never-handshakes",
    "lifecycle:mode:prior-discover-zero-rtt",
    "lifecycle:capability:experimental-passthrough",
    "lifecycle:version:custom-supported-versions",
    "lifecycle:version:no-overlap-rejects",
    "lifecycle:capability:strict-mode-throws",
  ],
  elsewhere: {
    "lifecycle:capability:server-not-advertised": [
      "lifecycle:capability:strict-mode-throws",
      "lifecycle:capability:lenient-by-default",
    ],
    "lifecycle:ping": ["ping:client-to-server", "ping:server-to-client"],
    "lifecycle:stateless:no-initialize": ["lifecycle:mode:pin-never-handshakes"],
    "lifecycle:envelope:stamped-on-every-request": [
      "lifecycle:stateless:request-envelope",
      "lifecycle:envelope:not-on-notifications",
    ],
    "lifecycle:envelope:header-matches-meta": [
      "client-transport:http:body-derived-headers",
      "hosting:http:modern:header-version",
    ],
    "lifecycle:connect:onerror-pre-handshake": ["lifecycle:connect:errors-reported"],
    "typescript:server:get-client-capabilities": [
      "lifecycle:initialize:client-capabilities",
      "lifecycle:stateless:no-earlier-context",
    ],
    "typescript:server:get-negotiated-protocol-version": ["lifecycle:context:revision"],
  },
  otherwise: {
    "typescript:client:connect:prior-zero-roundtrip": {
      because:
        "An earlier negotiation result connects without a message; one outside the client's list is set aside instead of failing.",
      instead: ["lifecycle:mode:prior-discover-zero-rtt", "lifecycle:mode:prior-outside-list"],
    },
    "lifecycle:capability:list-empty-when-not-advertised": {
      because: "An empty list would hide why it is empty: the call is sent, or refused under strictCapabilities.",
      instead: ["lifecycle:capability:lenient-by-default", "lifecycle:capability:strict-mode-throws"],
    },
  },
  notApplicable: {},
};
