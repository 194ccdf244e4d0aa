/** What a client keeps of a server's results, for how long, and for whom. */
import { OVER_HTTP, type Requirements, SCRIPTED } from "./requirement.js";

const PAGE = "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching";

export const caching: Requirements = {
  "caching:off-by-default": {
    behavior: "A client that was not told to cache asks the server every time.",
    source: { decision: "cache-is-asked-for" },
    strength: "decision",
    since: "2026-07-28",
  },
  "caching:legacy": {
    behavior: "A legacy result is not kept, even if it carries cache hints.",
    source: { decision: "cache-in-the-modern-era" },
    strength: "decision",
    until: "2025-11-25",
    over: SCRIPTED,
  },
  "caching:methods": {
    behavior: "Discovery, the four lists and resources are kept; calls, prompts and completions are not.",
    source: `${PAGE}#cacheable-results`,
    strength: "stated",
    since: "2026-07-28",
  },
  "caching:methods:negotiation": {
    behavior: "What negotiation asks is asked of the server, and is not kept for later calls.",
    source: { decision: "cache-at-the-wire" },
    strength: "decision",
    since: "2026-07-28",
  },
  "caching:fresh": {
    behavior: "A result is served from the cache until ttlMs after it was received, and asked for again from then on.",
    source: `${PAGE}#freshness-calculation`,
    strength: "should",
    since: "2026-07-28",
  },
  "caching:fresh:no-polling": {
    behavior: "A result that is no longer fresh is asked for when it is needed, and not before.",
    source: `${PAGE}#freshness-calculation`,
    strength: "should",
    since: "2026-07-28",
  },
  "caching:ttl:none": {
    behavior: "A time to live that is 0, negative or absent keeps nothing.",
    source: `${PAGE}#time-to-live-ttl-field`,
    strength: "should",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "caching:key": {
    behavior: "A kept result answers the same method with the same params, and nothing else.",
    source: `${PAGE}#cache-key`,
    strength: "must",
    since: "2026-07-28",
  },
  "caching:key:meta": {
    behavior: "A caller's own _meta keys are part of the question; progress, log level and trace context are not.",
    source: { decision: "cache-key" },
    strength: "decision",
    since: "2026-07-28",
  },
  "caching:key:input-rounds": {
    behavior: "A result that took a user's input is not kept.",
    source: `${PAGE}#cache-key`,
    strength: "must",
    since: "2026-07-28",
  },
  "caching:scope:private": {
    behavior: "A private result is served only under the authorization it was received under.",
    source: `${PAGE}#cache-scope-field`,
    strength: "must",
    since: "2026-07-28",
  },
  "caching:scope:headers": {
    behavior: "A private result that was fetched with one token is not served to a call that is sent with another.",
    source: `${PAGE}#cache-scope-field`,
    strength: "must",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "caching:scope:any-header": {
    behavior: "Any header that may bear a credential tells callers of private results apart; a trace does not.",
    source: { decision: "cache-identity" },
    strength: "decision",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "caching:scope:own-fetch": {
    behavior:
      "A connection with a fetch or an http of its own keeps no private result unless authContext names the user; public ones are kept.",
    source: { decision: "cache-identity" },
    strength: "decision",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "caching:scope:public": {
    behavior: "A public result is served under any authorization.",
    source: `${PAGE}#cache-scope-field`,
    strength: "may",
    since: "2026-07-28",
  },
  "caching:scope:unnamed": {
    behavior:
      "Clients that share a store share nothing unless they name the server, and nothing private unless they say who is authorized.",
    source: { decision: "cache-owner" },
    strength: "decision",
    since: "2026-07-28",
  },
  "caching:changes:lists": {
    behavior: "The announced change of a list makes its kept pages stale at once, and leaves other results alone.",
    source: `${PAGE}#interaction-with-notifications`,
    strength: "stated",
    since: "2026-07-28",
  },
  "caching:changes:resource": {
    behavior: "The announced update of a resource makes its kept contents stale at once, and no other's.",
    source: `${PAGE}#interaction-with-notifications`,
    strength: "stated",
    since: "2026-07-28",
  },
  "caching:changes:before-handlers": {
    behavior: "A handler of the notification that asks for the list gets it from the server.",
    source: { decision: "changes-and-the-cache" },
    strength: "decision",
    since: "2026-07-28",
  },
  "caching:changes:under-way": {
    behavior: "An answer is not kept if a change was announced after its request was sent.",
    source: { decision: "changes-and-the-cache" },
    strength: "decision",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "caching:pages": {
    behavior: "Each page is fresh for its own time, and one that is not is asked for by its cursor.",
    source: `${PAGE}#interaction-with-pagination`,
    strength: "should",
    since: "2026-07-28",
    over: SCRIPTED,
  },
  "caching:pages:invalid-cursor": {
    behavior: "When the server refuses a cursor, all kept pages of that list are dropped, and a walk starts over once.",
    source: `${PAGE}#interaction-with-pagination`,
    strength: "should",
    since: "2026-07-28",
  },
  "caching:stale-on-error": {
    behavior:
      "Where the client allows it, a stale result is served and reported if the server cannot be reached, but not in place of its error.",
    source: `${PAGE}#freshness-calculation`,
    strength: "may",
    since: "2026-07-28",
  },
  "caching:stale-on-error:off": {
    behavior: "Unless the client allows it, a stale result is not served whatever happens.",
    source: { decision: "stale-results" },
    strength: "decision",
    since: "2026-07-28",
  },
  "caching:call:fresh": {
    behavior: "A call may pass the cache by, and what it brings takes the place of what was kept.",
    source: { decision: "fresh-calls" },
    strength: "decision",
    since: "2026-07-28",
  },
  "caching:copies": {
    behavior: "What a caller does to a result does not show in the results of others.",
    source: { decision: "cached-text" },
    strength: "decision",
    since: "2026-07-28",
  },
  "caching:store": {
    behavior:
      "A store of one's own keeps the results as plain data, and one that fails costs a request and is reported.",
    source: { decision: "cached-text" },
    strength: "decision",
    since: "2026-07-28",
  },
  "caching:store:bounded": {
    behavior: "The store in memory keeps so many results, and drops those not used for longest.",
    source: { decision: "bounded-by-default" },
    strength: "decision",
    since: "2026-07-28",
  },
  "caching:middleware": {
    behavior: "A client's middleware sees every call, and a kept result answers the params that it passed on.",
    source: { decision: "cache-at-the-wire" },
    strength: "decision",
    since: "2026-07-28",
  },
  "caching:output-schemas": {
    behavior: "A tool that was listed from the cache has its output checked like any other.",
    source: { decision: "cache-at-the-wire" },
    strength: "decision",
    since: "2026-07-28",
  },
};
