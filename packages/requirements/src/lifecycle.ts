/** How a connection opens: the legacy handshake, ping, and what holds for both eras at once. */
import { LOCAL, type Requirements, SCRIPTED } from "./requirement.js";

export const lifecycle: Requirements = {
  "lifecycle:hooks:once": {
    behavior:
      "onStart runs once before any host serves a request, and onClose once after the last host has closed, whose close waits.",
    source: { decision: "server-hooks" },
    strength: "decision",
    over: LOCAL,
  },
  "lifecycle:hooks:in-process": {
    behavior: "Requests of clients in the same process wait for onStart, and server.close runs onClose.",
    source: { decision: "server-hooks" },
    strength: "decision",
    over: LOCAL,
  },
  "lifecycle:hooks:failed-start": {
    behavior: "A host rejects with the error of onStart and does not listen; the next host runs onStart again.",
    source: { decision: "server-hooks" },
    strength: "decision",
    over: LOCAL,
  },
  "lifecycle:hooks:hanging": {
    behavior:
      "The close of a host ends after its grace although onStart or onClose hangs, and onError gets an error that names the hook.",
    source: { decision: "server-hooks" },
    strength: "decision",
    over: LOCAL,
  },
  "lifecycle:tables:published": {
    behavior:
      "MCP_METHODS and MCP_CAPABILITIES list every method and capability of every revision, and cannot be changed.",
    source: { decision: "published-tables" },
    strength: "decision",
    over: LOCAL,
  },
  "lifecycle:initialize:basic": {
    behavior:
      "A legacy client opens with initialize carrying its revision, capabilities and identity, and learns the server's.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization",
    strength: "must",
    until: "2025-11-25",
  },
  "lifecycle:initialize:server-info": {
    behavior: "The name, version and other identity fields in the handshake's answer are readable on the client.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization",
    strength: "must",
    until: "2025-11-25",
  },
  "lifecycle:initialize:instructions": {
    behavior: "A server's instructions are readable on the client after the handshake, and absent if it has none.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization",
    strength: "may",
    until: "2025-11-25",
  },
  "lifecycle:initialize:client-info": {
    behavior: "A handler reads the client's name and version as the handshake gave them.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization",
    strength: "must",
    until: "2025-11-25",
    needs: ["session"],
  },
  "lifecycle:initialize:client-capabilities": {
    behavior:
      "A client declares the capabilities of the handlers that it is given, and a handler of the server reads what it declared.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#capability-negotiation",
    strength: "stated",
    until: "2025-11-25",
    needs: ["session"],
  },
  "lifecycle:initialize:capabilities:from-handlers": {
    behavior: "The handshake announces a capability for each area something is registered in, and for no other.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#capability-negotiation",
    strength: "stated",
    until: "2025-11-25",
  },
  "lifecycle:initialize:capabilities:minimal": {
    behavior: "A server with nothing registered announces an empty capability set in the handshake.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#capability-negotiation",
    strength: "stated",
    until: "2025-11-25",
  },
  "lifecycle:initialized-notification": {
    behavior: "Exactly one notifications/initialized follows the handshake's answer, ahead of the client's first call.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization",
    strength: "must",
    until: "2025-11-25",
  },
  "lifecycle:pre-initialization-ordering": {
    behavior:
      "A legacy client sends nothing after initialize until it is answered, and a server asks nothing but pings until notifications/initialized.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization",
    strength: "should",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:server-waits-for-initialized": {
    behavior: "A handler's request other than ping is refused as not-initialized before notifications/initialized.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization",
    strength: "should",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:requests-before-initialized": {
    behavior: "A request before the handshake and without modern _meta is -32602, and the message names both ways in.",
    source: { decision: "request-before-handshake" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:initialize:anew": {
    behavior:
      "A second initialize over a pipe starts the conversation over: what is in progress is aborted without an answer, " +
      "and the new handshake holds.",
    source: { decision: "second-initialize" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:initialize:anew:modern-requests": {
    behavior: "A modern request in progress goes on after a second initialize over its pipe, and is answered.",
    source: { decision: "second-initialize" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:initialize:anew:refused": {
    behavior:
      "A second initialize that finds no room, or has the id of a modern request in progress, is refused and ends nothing.",
    source: { decision: "second-initialize" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:initialize:per-connection": {
    behavior:
      "One server instance completes a handshake of its own on each connection, at different revisions at once.",
    source: { decision: "server-is-a-definition" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["session"],
  },
  "lifecycle:initialize:invalid-params": {
    behavior: "An initialize without revision, capabilities or client identity is -32602, and a valid one still works.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization",
    strength: "stated",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:initialize:refused": {
    behavior: "An initialize that middleware refuses opens no session, and a later one still can.",
    source: { decision: "middleware" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:connect:errors-reported": {
    behavior:
      "What a peer gets wrong while a client connects is reported to the client's onError, and connecting goes on.",
    source: { decision: "stray-answers" },
    strength: "decision",
    over: SCRIPTED,
  },
  "lifecycle:version:match": {
    behavior: "A revision that the server speaks is echoed by initialize and is the one both sides use.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation",
    strength: "must",
    until: "2025-11-25",
  },
  "lifecycle:version:server-fallback-latest": {
    behavior: "An initialize for an unknown or a modern revision is answered with the server's newest legacy revision.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation",
    strength: "must",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:version:downgrade": {
    behavior: "A client, pinned or not, that is answered with an older revision it speaks runs at the answered one.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation",
    strength: "must",
    since: "2025-03-26",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:version:reject-unsupported": {
    behavior:
      "Connecting fails with no-shared-revision, and closes, when the server answers a revision nobody asked for.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation",
    strength: "should",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:version:initialize-asks-legacy": {
    behavior: "After a probe the client's initialize asks for its newest legacy revision and carries no modern _meta.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation",
    strength: "should",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:version:custom-supported-versions": {
    behavior: "The list of revisions given to a server or a client is what it negotiates from, in both eras.",
    source: { decision: "revisions-option" },
    strength: "decision",
  },
  "lifecycle:version:legacy-only-server": {
    behavior: "A server without modern revisions does not know server/discover and reads no envelope from _meta.",
    source: { decision: "revisions-option" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:version:no-overlap-rejects": {
    behavior: "Connecting fails with no-shared-revision when the two sides' lists of revisions share none.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation",
    strength: "should",
    needs: ["every-revision"],
  },
  "ping:client-to-server": {
    behavior: "A server answers a client's ping with an empty result.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping#behavior-requirements",
    strength: "must",
    until: "2025-11-25",
  },
  "ping:server-to-client": {
    behavior: "A client answers a server's ping with an empty result.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping#behavior-requirements",
    strength: "must",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "ping:before-initialize": {
    behavior: "A server answers ping before the handshake.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization",
    strength: "should",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "ping:during-initialize": {
    behavior: "A client answers a ping that arrives while its initialize is unanswered.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping#behavior-requirements",
    strength: "must",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "ping:interval": {
    behavior:
      "A client with a ping interval pings by itself; a ping without an answer is reported and ends the connection.",
    source:
      "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping#implementation-considerations",
    strength: "should",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "ping:interval:any-answer": {
    behavior: "An error in answer to a ping shows that the server is there, and the next ping follows.",
    source: { decision: "pings" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "ping:not-in-modern": {
    behavior: "A modern ping is answered -32601.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/changelog#major-changes",
    strength: "must",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "lifecycle:capability:experimental-passthrough": {
    behavior: "Experimental capabilities that either side declares reach the other one verbatim.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#clientcapabilities",
    strength: "may",
    needs: ["session"],
  },
  "lifecycle:lists:same-for-all": {
    behavior: "Tools, prompts and resources are listed alike on every connection, whatever was called before.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities",
    strength: "must",
  },
  "lifecycle:capability:client-not-declared": {
    behavior: "A client that did not declare roots.listChanged refuses to announce changed roots; nothing is sent.",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#operation",
    strength: "must",
    until: "2025-11-25",
  },
  "lifecycle:capability:lenient-by-default": {
    behavior: "Without strictCapabilities a call to an unadvertised area is sent, and the server's -32601 comes back.",
    source: { decision: "strict-capabilities" },
    strength: "decision",
  },
  "lifecycle:capability:strict-mode-throws": {
    behavior:
      "With strictCapabilities such a call rejects with the error that the server would answer with, -32601, and nothing is sent.",
    source: { decision: "strict-capabilities" },
    strength: "decision",
  },
  "lifecycle:capability:strict-pin-with-prior": {
    behavior:
      "strictCapabilities with a modern pin holds calls against the stored negotiation result of the same revision.",
    source: { decision: "strict-capabilities" },
    strength: "decision",
    since: "2026-07-28",
  },
  "lifecycle:capability:strict-unsubscribe": {
    behavior: "A strict client ends a subscription at a server that has resources and takes no subscriptions.",
    source: { decision: "strict-capabilities" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "lifecycle:capability:strict-needs-discovery": {
    behavior:
      "strictCapabilities with a modern pin and no discovery is refused at once, and the message names the fix.",
    source: { decision: "strict-capabilities" },
    strength: "decision",
    over: LOCAL,
  },
  "lifecycle:context:revision": {
    behavior: "A handler's context tells the revision and era its request is served by, in every revision.",
    source: { decision: "handler-context" },
    strength: "decision",
  },
};
