/** Limits that several peers share: requests in progress, bytes left behind, and who gives way when one is reached. */
import { LOCAL, OVER_HTTP, OVER_STDIO, OWN_TRANSPORT, type Requirements } from "./requirement.js";

export const limits: Requirements = {
  "limits:requests:in-progress": {
    behavior:
      "One request in progress more than limits.maxRequests is refused with 429, its level and when to try again; " +
      "those before it are answered, and then there is room again.",
    source: { decision: "requests-in-progress" },
    strength: "decision",
  },
  "limits:requests:cancelled": {
    behavior: "A cancelled request counts as in progress until its handler has ended.",
    source: { decision: "requests-in-progress" },
    strength: "decision",
  },
  "limits:requests:http-status": {
    behavior:
      "Over HTTP a request beyond a limit is 429 if its connection, session or principal is at the limit, 503 if the " +
      "server is, both with Retry-After and the JSON-RPC error.",
    source: { decision: "limit-errors" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "limits:requests:pipelined": {
    behavior:
      "Of requests that are pipelined over one HTTP connection, limits.maxRequestsPerConnection are in progress at most.",
    source: { decision: "requests-in-progress" },
    strength: "decision",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "limits:requests:pipelined-bytes": {
    behavior:
      "The body of a pipelined request that waits for its client to read counts for its principal until the request is " +
      "served, or the connection closes.",
    source: { decision: "bytes-held" },
    strength: "decision",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "limits:requests:resumes": {
    behavior:
      "Resumes that wait for a slow event store are in progress: beyond the limit of their session or principal they are 429.",
    source: { decision: "requests-in-progress" },
    strength: "decision",
    until: "2025-11-25",
    over: OVER_HTTP,
  },
  "limits:requests:refusals-heard": {
    behavior: "onRefusal hears of each request that a limit refuses in its answer, in both eras.",
    source: { decision: "http-observers" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "limits:requests:batch-bytes": {
    behavior:
      "Over HTTP the answers to a batch take 16 Mi characters at most: one that finds no room is 429, and the others are answered.",
    source: { decision: "bytes-held" },
    strength: "decision",
    since: "2025-03-26",
    until: "2025-03-26",
    over: OVER_HTTP,
  },
  "limits:requests:hung-up": {
    behavior:
      "Legacy requests whose client hangs up at once stay in progress, and count for their session and principal.",
    source: { decision: "requests-in-progress" },
    strength: "decision",
    until: "2025-11-25",
    over: OVER_HTTP,
  },
  "limits:requests:principal": {
    behavior: "A principal at its limit of requests in progress is refused; another one is served as ever.",
    source: { decision: "requests-in-progress" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "limits:requests:bytes": {
    behavior: "Requests in progress whose messages take more than limits.maxBytesPerPrincipal are refused with 429.",
    source: { decision: "bytes-held" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "limits:requests:line-bytes": {
    behavior:
      "Over byte streams, requests in progress whose lines take more than limits.maxBytesPerConnection are refused with 429.",
    source: { decision: "bytes-held" },
    strength: "decision",
    over: OVER_STDIO,
  },
  "limits:client:requests": {
    behavior:
      "A server's request beyond maxInboundRequests of the client is answered 429, and those before it are answered.",
    source: { decision: "requests-in-progress" },
    strength: "decision",
    until: "2025-11-25",
    needs: ["server-requests"],
  },
  "limits:rates:calls": {
    behavior:
      "A client that calls a tool more often than rateLimits allows is refused with 429 and the time to wait, and is " +
      "served again after that time; other methods are not affected.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#security-considerations",
    strength: "must",
    needs: ["fake-clock"],
  },
  "limits:rates:completion": {
    behavior: "A client that asks for completions more often than rateLimits allows is refused with 429.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#security",
    strength: "must",
  },
  "limits:rates:by-default": {
    behavior:
      "Without options a client may call tools 10,000 times per second and at once, and ask for completions " +
      "100 times per second and 1,000 times at once; `rateLimits: false` lifts all rates.",
    source: { decision: "rate-limits" },
    strength: "decision",
    over: OWN_TRANSPORT,
  },
  "limits:rates:per-client": {
    behavior:
      "Over HTTP the rate of each principal counts by itself, and callers without a principal count by the address that " +
      "`authenticate` names, or by that of their connection; a refusal is 429 with Retry-After in both eras.",
    source: { decision: "rate-limits" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "limits:rates:socket-address": {
    behavior:
      "Clients of one address share a rate on a TCP port; on a Unix socket each connection has a rate of its own.",
    source: { decision: "rate-limits" },
    strength: "decision",
    over: OVER_STDIO,
  },
  "limits:rates:fetch-address": {
    behavior:
      "A web-standard handler counts clients without a principal by the address that `clientAddress` names, and those " +
      "without an address together: beyond the rate these are 503, with `data.limit` `server` and Retry-After.",
    source: { decision: "rate-limits" },
    strength: "decision",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "limits:rates:proxied-address": {
    behavior: "On Node, clients behind a proxy are counted by the address that clientAddress tells, one by one.",
    source: { decision: "rate-limits" },
    strength: "decision",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "limits:rates:shared": {
    behavior:
      "Servers with the same rateStore count the calls of a principal or an address together; over HTTP the refusal of either is " +
      "429 with Retry-After, in both eras.",
    source: { decision: "shared-rates" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "limits:rates:store-fails": {
    behavior:
      "While the rateStore fails, calls are served, each server counts by itself, and onError hears of the failure once.",
    source: { decision: "shared-rates" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "limits:rates:refused": {
    behavior: "A rate that admits nothing, or is no number, is refused when the server or client is made.",
    source: { decision: "rate-limits" },
    strength: "decision",
    over: LOCAL,
  },
  "limits:options:numbers": {
    behavior:
      "A count or a duration that is NaN, a text, null or out of range is refused when the client, server, transport or " +
      "host is made, with an error that names the option and the expected range.",
    source: { decision: "plain-javascript" },
    strength: "decision",
    over: LOCAL,
  },
  "limits:options:unknown": {
    behavior:
      "An option that does not exist, at any entry point and in nested options, is refused with an error that names the " +
      "nearest spelling.",
    source: { decision: "unknown-options" },
    strength: "decision",
    over: LOCAL,
  },
  "limits:options:kinds": {
    behavior:
      "An option or argument of the wrong kind, such as a text for a list or no server at all, is refused when it is given, " +
      "with an error that names it and what was expected.",
    source: { decision: "unknown-options" },
    strength: "decision",
    over: LOCAL,
  },
  "limits:rates:questions": {
    behavior:
      "A server that asks for sampling or elicitation more often than the client's rateLimits allow is answered 429, or in " +
      "the modern era its call rejects with 429; the handlers are not called.",
    source: "https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#security-considerations",
    strength: "should",
    needs: ["server-requests"],
  },
  "limits:notifications": {
    behavior:
      "Notifications in progress count as requests do: one too many is refused over modern HTTP, and dropped and reported elsewhere.",
    source: { decision: "requests-in-progress" },
    strength: "decision",
    over: OVER_HTTP,
  },
  "limits:bytes:handshake": {
    behavior:
      "An initialize whose clientInfo and capabilities take more than limits.maxBytesPerSession is 429 and leaves nothing behind.",
    source: { decision: "bytes-held" },
    strength: "decision",
    until: "2025-11-25",
  },
  "limits:bytes:subscriptions": {
    behavior:
      "A watched resource, or a listen filter, that takes its session or stream over limits.maxBytesPerSession is 429; " +
      "what is watched already stays.",
    source: { decision: "bytes-held" },
    strength: "decision",
    needs: ["session"],
  },
  "limits:bytes:acknowledged": {
    behavior:
      "After its acknowledgment a listen stream counts its _meta and the honored part of its filter, and not the other bytes of its request.",
    source: { decision: "bytes-held" },
    strength: "decision",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "limits:bytes:principal": {
    behavior:
      "A principal whose sessions hold limits.maxBytesPerPrincipal opens no more with 429 and Retry-After; others do, and " +
      "what ends makes room.",
    source: { decision: "bytes-held" },
    strength: "decision",
    until: "2025-11-25",
    over: OVER_HTTP,
  },
  "limits:shares:sessions": {
    behavior:
      "At maxSessions the principal with the most sessions gives up its longest idle one, or one in use if it has two more.",
    source: { decision: "session-limits" },
    strength: "decision",
    until: "2025-11-25",
    over: OVER_HTTP,
  },
  "limits:shares:subscriptions": {
    behavior:
      "At maxListenStreams the principal with the most listen streams gives up its oldest for a principal that has two fewer.",
    source: { decision: "listen-limits" },
    strength: "decision",
    since: "2026-07-28",
    over: OVER_HTTP,
  },
  "limits:sse:refused-batches": {
    behavior: "Batches that are refused over HTTP+SSE leave nothing to wait for: closing the server takes no grace.",
    source: { decision: "limit-errors" },
    strength: "decision",
    until: "2025-11-25",
    over: OVER_HTTP,
  },
  "limits:session:deleted-is-gone": {
    behavior: "A session that was deleted stays 404 while its store is slow to forget it, and after.",
    source: { decision: "ending-a-session" },
    strength: "decision",
    until: "2025-11-25",
    over: OVER_HTTP,
  },
  "limits:session:store": {
    behavior: "An InMemorySessionStore holds maxSessions records; the principal with the most gives up its oldest.",
    source: { decision: "session-limits" },
    strength: "decision",
    until: "2025-11-25",
    over: OVER_HTTP,
  },
};
