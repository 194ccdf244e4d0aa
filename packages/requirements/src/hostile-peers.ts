/** Peers that misbehave over a real socket or in a real process. What is promised of single messages is in other areas. */
import { OVER_HTTP, OVER_STDIO, type Requirements } from "./requirement.js";

const SPEC = "https://modelcontextprotocol.io/specification/2026-07-28";
const OLDER = "https://modelcontextprotocol.io/specification/2025-11-25";

const serving: Requirements = {
  "hosting:http:modern:state-refused": {
    behavior: "A state that was changed, has expired or was given to another request is -32602 over HTTP, unserved.",
    source: { decision: "sealed-state" },
    strength: "decision",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "hosting:http:cancelled-nothing": {
    behavior: "A posted cancellation of an unknown or answered request, or a malformed one, is 202 and harms nobody.",
    source: `${OLDER}/basic/utilities/cancellation#error-handling`,
    strength: "should",
    until: "2025-11-25",
    over: OVER_HTTP,
  },
  "hosting:http:cancellation-flood": {
    behavior: "Of a flood of cancellations that name nothing, a session remembers the latest 32 and no more.",
    source: { decision: "early-cancellations" },
    strength: "decision",
    until: "2025-11-25",
    over: OVER_HTTP,
  },
  "hosting:http:legacy-crash": {
    behavior:
      "A crash, or a result that JSON cannot express, is an opaque -32603 with sessions, without, and over HTTP+SSE.",
    source: { decision: "handler-crash-is-opaque" },
    strength: "decision",
    until: "2025-11-25",
    over: OVER_HTTP,
  },
  "transport:stdio:duplicate-id": {
    behavior:
      "A request under the id of one that a process is serving is -32600 in either era, and the first is answered.",
    source: { decision: "duplicate-id-in-flight" },
    strength: "decision",
    over: OVER_STDIO,
  },
};

const connecting: Requirements = {
  "client-transport:http:stray-answers": {
    behavior: "Over HTTP an answer under an unknown id, or the second to one request, is dropped and reported.",
    source: { decision: "stray-answers" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-transport:http:unknown-result-type": {
    behavior: "A result of an unknown type rejects the call as unknown-result-type, in whichever form it arrives.",
    source: `${SPEC}/basic#resulttype`,
    strength: "must",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "client-transport:http:rounds-cap": {
    behavior: "A server over HTTP that asks in every round is called nine times and no more.",
    source: { decision: "input-rounds-cap" },
    strength: "decision",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "client-transport:http:page-cap": {
    behavior: "A server over HTTP whose list never ends is asked for as many pages as maxPages says.",
    source: { decision: "bounded-by-default" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "client-transport:http:empty-cursor": {
    behavior: "Over HTTP a cursor that is an empty string leads to another page.",
    source: `${SPEC}/server/utilities/pagination#implementation-guidelines`,
    strength: "must",
    over: OVER_HTTP,
  },
  "client-transport:http:probe-refused": {
    behavior:
      "A probe over HTTP that is answered with an error of the modern era fails the connection; no handshake follows.",
    source: `${SPEC}/basic/transports/streamable-http#backward-compatibility`,
    strength: "stated",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "client-transport:http:probe-fallback": {
    behavior: "A probe over HTTP that meets anything but a modern answer is followed by the handshake.",
    source: `${SPEC}/basic/versioning#backward-compatibility-with-initialization-based-versions`,
    strength: "should",
    until: "2025-11-25",
    over: OVER_HTTP,
  },
  "client-transport:http:schema-refs": {
    behavior:
      "A schema's reference to a server that listens brings it no connection, neither from a server nor a client.",
    source: `${SPEC}/basic#ref-resolution`,
    strength: "must",
    over: OVER_HTTP,
  },
};

export const hostilePeers: Requirements = { ...serving, ...connecting };
