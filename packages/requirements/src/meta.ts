/** What travels beside params and results: `_meta` both ways, the kind of result, caching hints. */
import { LOCAL, type Requirements, SCRIPTED } from "./requirement.js";

export const meta: Requirements = {
  "meta:request-to-handler": {
    behavior: "The _meta keys a caller sends with a request reach its handler.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "may",
  },
  "meta:result-to-client": {
    behavior: "The _meta keys a handler puts on its result reach the caller.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "may",
  },
  "meta:on-definitions": {
    behavior: "The _meta of tools, resources, templates and prompts is listed untouched.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "may",
    since: "2025-06-18",
  },
  "meta:trace-context": {
    behavior: "The keys traceparent, tracestate and baggage pass from caller to handler untouched.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "may",
    since: "2026-07-28",
  },
  "meta:server-info-on-results": {
    behavior: "Every modern result names the server in _meta, beside the handler's own keys.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "should",
    since: "2026-07-28",
  },
  "meta:client-info-optional": {
    behavior: "A modern request without the client's identity is served, and its handler sees none.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "must",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "meta:info:display-only": {
    behavior: "Whatever a client or server says about itself, the other side answers and sends the same.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "should",
  },
  "meta:result-type": {
    behavior: 'Every modern result, a custom method\'s included, says resultType "complete".',
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#result-responses",
    strength: "must",
    since: "2026-07-28",
  },
  "meta:cache-hints:present": {
    behavior: "Discovery, the four lists and resources/read answer with ttlMs and cacheScope.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cacheable-results",
    strength: "must",
    since: "2026-07-28",
  },
  "meta:cache-hints:nowhere-else": {
    behavior: "The results of tools/call, prompts/get and completion/complete carry no cache hints.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cacheable-results",
    strength: "stated",
    since: "2026-07-28",
  },
  "meta:cache-hints:default": {
    behavior: 'A server that says nothing about caching answers ttlMs 0 and cacheScope "private".',
    source: { decision: "cache-defaults" },
    strength: "decision",
    since: "2026-07-28",
  },
  "meta:cache-hints:configured": {
    behavior: "Hints set on the server hold for all cacheable results, and hints set on a resource win for reading it.",
    source: { decision: "cache-defaults" },
    strength: "decision",
    since: "2026-07-28",
  },
  "meta:cache-hints:same-scope-on-pages": {
    behavior: "All pages of one list carry the same cacheScope.",
    source:
      "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#interaction-with-pagination",
    strength: "must",
    since: "2026-07-28",
  },
  "meta:keys:results": {
    behavior: "A _meta key against the naming rules does not leave a server, in whatever part of a result it is.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "must",
  },
  "meta:keys:requests": {
    behavior: "A _meta key against the naming rules is refused where a request or notification is sent.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    strength: "must",
    needs: ["notifications"],
  },
  "meta:keys:received": {
    behavior: "A request that arrives with a _meta key against the naming rules is served.",
    source: { decision: "outgoing-meta-keys" },
    strength: "decision",
    over: SCRIPTED,
  },
  "meta:cache-hints:results": {
    behavior: "A result's own ttlMs below 0 is -32603 and reported, whether a handler or a middleware set it.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#time-to-live-ttl-field",
    strength: "must",
    since: "2026-07-28",
  },
  "meta:cache-hints:refused": {
    behavior: "A negative or fractional ttlMs is refused when the server or the resource is defined.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#time-to-live-ttl-field",
    strength: "must",
    over: LOCAL,
  },
};
