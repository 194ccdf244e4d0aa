/** Serving over HTTP: what one endpoint does with a request, in both eras. */
import { LOCAL, OVER_HTTP, type Requirement, type Requirements, type Strength } from "./requirement.js";

const PAGE = "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http";
const FIRST = "2026-07-28";

function spec(anchor: string, strength: Strength, behavior: string): Requirement {
  return { behavior, source: `${PAGE}#${anchor}`, strength, over: OVER_HTTP };
}

function decided(decision: string, behavior: string): Requirement {
  return { behavior, source: { decision }, strength: "decision", over: OVER_HTTP };
}

function modern(requirement: Requirement): Requirement {
  return { ...requirement, since: FIRST };
}

const anyRequest: Requirements = {
  "hosting:http:method-405": decided("http-places", "An HTTP verb that the endpoint does not have is 405 with Allow."),
  "hosting:http:path-404": decided("http-places", "Another path than the endpoint's is 404, or the application's own."),
  "hosting:http:content-type-415": decided(
    "http-media-types",
    "A body that is not application/json, or that has a content coding, is 415.",
  ),
  "hosting:http:accept-406": decided(
    "http-media-types",
    "An Accept header that excludes either form of answer is 406.",
  ),
  "hosting:http:parse-error-400": decided(
    "http-refused-bodies",
    "A body that is no JSON, or no UTF-8, or begins with a byte order mark, is 400 and -32700.",
  ),
  "hosting:http:invalid-request-400": decided(
    "http-refused-bodies",
    "Valid JSON that is no message is 400 and -32600, with the id if it has a usable one.",
  ),
  "hosting:http:odd-ids": decided(
    "verbatim-ids",
    "Requests with id 0, a negative one or an empty one are served, and can be cancelled.",
  ),
  "hosting:http:body-limit": decided(
    "http-serving-limits",
    "A body over the limit is 413, with or without a length; its client gets that answer although it was still sending, and the connection closes.",
  ),
  "hosting:http:depth-limit": decided(
    "http-serving-limits",
    "JSON nested 100,000 deep is 400, however it was parsed, and the server goes on.",
  ),
  "hosting:http:node-limit": decided(
    "json-nodes",
    "JSON that holds more than the limit is 400 and -32600, however it was parsed, and the server goes on.",
  ),
  "hosting:http:slow-writer-408": decided(
    "http-serving-limits",
    "A request whose head or body arrives too slowly is 408 and its connection is closed.",
  ),
  "hosting:http:web-body-source": decided(
    "http-serving-limits",
    "A refused body whose source fails to cancel leaves no unhandled rejection.",
  ),
  "hosting:http:store-503": decided(
    "unavailable-stores",
    "A hook, route or handler whose store is not available throws the error of a limit of the server; the request is 503 with Retry-After.",
  ),
  "hosting:http:notification-refused": spec(
    "sending-messages",
    "must",
    "A posted notification that the server cannot accept gets an HTTP error status: 400 for its version, 404 for its session.",
  ),
  "hosting:http:notification-flood": decided(
    "http-serving-limits",
    "A flood of notifications leaves nothing behind, and requests among them are served.",
  ),
  "hosting:http:hostile-names": decided("hostile-keys-are-data", "Tools named like members of objects are -32602."),
  "hosting:http:onerror": decided("http-observers", "What is turned away is told to onRefusal."),
  "hosting:http:observer": decided("http-observers", "onResponse hears of every exchange once it has ended."),
  "transport:streamable-http:origin-validation": spec(
    "security-endpoint",
    "must",
    "A request from a page of another origin is 403.",
  ),
  "hosting:http:loopback": spec(
    "security-endpoint",
    "should",
    "Unless a host is named, serveHttp listens on 127.0.0.1 and on no other address.",
  ),
  "hosting:http:dns-rebinding": decided(
    "http-host-checks",
    "On loopback every path is 403 unless Host, and Origin if there is one, are loopback names.",
  ),
  "hosting:http:host-validation-middleware": decided(
    "http-host-checks",
    "Hosts that are not in allowedHosts, and origins that are not in allowedOrigins, are 403.",
  ),
  "hosting:http:routes-bytes": decided(
    "routes-beside-the-endpoint",
    "The body of a route's response reaches the client byte for byte, and the body of a request reaches the route so.",
  ),
  "hosting:http:routes-framing": decided(
    "routes-beside-the-endpoint",
    "The host frames a route's response: a response of fetch arrives decoded and whole, and one over 16 MiB is 500 and reported.",
  ),
  "hosting:http:cors-routes": decided(
    "http-cors",
    "Routes decide which pages may read their answers, whatever cors says of the endpoint: clients in browsers use the token endpoint.",
  ),
  "hosting:http:cors": decided(
    "http-cors",
    "With cors set, preflights are answered and pages of its origins can read answers; without it they cannot.",
  ),
  "hosting:http:authenticate": decided(
    "http-callers",
    "authenticate decides before the body is read, and names the caller that handlers see.",
  ),
  "hosting:context:web-request-headers": decided("http-callers", "A handler reads the headers of its request."),
  "hosting:http:state-owner": decided("http-callers", "The state of one caller's request is refused from another."),
  "hosting:http:shutdown": decided(
    "http-shutdown",
    "Closing ends subscriptions with their result, lets requests finish and their answers arrive, and turns away new ones.",
  ),
  "hosting:http:shutdown-try-again": decided(
    "limit-errors",
    "A request that arrives while the server closes is error 429 with data.retryAfterMs, and status 503, in either era.",
  ),
  "hosting:http:served-again": decided(
    "http-shutdown",
    "Clients that kept connections to a closed server reach the server that then listens on its port, with their first call.",
  ),
  "hosting:http:shutdown-streams": decided(
    "http-shutdown",
    "close ends the open streams of sessions at once, and waits for none of them.",
  ),
  "hosting:http:left-behind": decided(
    "http-unread-answers",
    "A client that leaves is noticed although its pipelined answers wait for a call, so the call is aborted.",
  ),
  "hosting:http:shutdown-cuts-off": decided(
    "http-shutdown",
    "What still runs when the grace is over is aborted and answered with -32603, in either era.",
  ),
  "hosting:http:shutdown-takes-answers": decided(
    "http-shutdown",
    "While the server closes, what clients answer to the questions of running requests still arrives.",
  ),
  "hosting:http:silent-connections": decided(
    "connection-limits",
    "A connection that sends no request, or none after its last answer, is closed after the limit for each.",
  ),
  "hosting:http:idle-makes-room": decided(
    "connection-limits",
    "At the limit of connections an idle one is closed for a newcomer; without an idle one the newcomer gets a 503.",
  ),
  "hosting:http:connections-per-address": decided(
    "connection-limits",
    "A connection over the limit of its address gets a 429 with Retry-After; shared addresses have no limit.",
  ),
  "hosting:http:unread-answers": decided(
    "http-unread-answers",
    "A client that reads no plain answer is disconnected after the stall limit, and its pipelined requests wait meanwhile.",
  ),
  "hosting:http:pipelined-many": decided(
    "http-unread-answers",
    "A client that pipelines any number of requests and reads the answers gets all of them.",
  ),
  "hosting:http:pipelined-unserved": decided(
    "http-unread-answers",
    "A connection is not read while many of its requests wait for their caller to be authenticated or for a route.",
  ),
  "hosting:http:unread-total": decided(
    "http-unread-answers",
    "Over the limit of bytes for all clients the principal with the most loses the client that has read nothing for longest.",
  ),
  "hosting:http:long-answer": decided(
    "http-unread-answers",
    "An answer that is larger than every limit of queued bytes reaches a client that reads.",
  ),
  "hosting:http:stalled-reader": decided(
    "http-backpressure",
    "A client that reads nothing for the stall limit is disconnected, and a handler that waits for it is released.",
  ),
};

const eras: Requirements = {
  "hosting:http:modern:legacy-fallthrough": decided(
    "http-era-per-request",
    "On one endpoint, requests that name their revision are modern and all others legacy.",
  ),
  "hosting:http:legacy-no-modern-vocabulary": {
    ...decided("http-era-per-request", "Legacy exchanges hold no modern headers, codes or fields, and need none."),
    until: "2025-11-25",
  },
  "hosting:http:modern:get-delete-405": modern(
    spec("earlier-streamable-http-revisions", "should", "GET and DELETE are 405 where only the modern era is served."),
  ),
  "hosting:http:modern:stray-session": modern(
    spec(
      "earlier-streamable-http-revisions",
      "should",
      "Session ids and Last-Event-ID of modern requests are ignored.",
    ),
  ),
  "hosting:http:modern:no-session-id": modern(
    spec("earlier-streamable-http-revisions", "should", "Modern responses carry no session id."),
  ),
  "hosting:http:modern:handshake-refused": modern(
    decided("revisions-option", "initialize at a modern endpoint is 400 and names the revisions that are spoken."),
  ),
};

const modernExchanges: Requirements = {
  "hosting:http:modern:tools-call-stateless": modern(
    spec("sending-messages", "must", "A first request is served by itself, and its result is complete."),
  ),
  "hosting:http:modern:discover-response-shape": modern(
    spec(
      "sending-messages",
      "must",
      "server/discover is answered with JSON: the revisions, the capabilities, and the server's identity in _meta alone.",
    ),
  ),
  "hosting:http:modern:json-first": modern(
    decided("http-json-first", "An answer is plain JSON, unless something precedes it: then it ends an event stream."),
  ),
  "hosting:http:modern:buffering": modern(
    spec(
      "receiving-messages",
      "should",
      "Event streams tell proxies not to buffer, and send comments while they are quiet.",
    ),
  ),
  "hosting:http:modern:listen": modern(
    spec(
      "receiving-messages",
      "must",
      "A listen stream carries its acknowledgment, changes as they come, and its result.",
    ),
  ),
  "hosting:http:modern:isolated-ids": modern(
    decided("http-json-first", "Requests with equal ids in parallel each get their own answer."),
  ),
  "hosting:http:modern:disconnect-aborts": modern(
    spec("cancellation", "must", "A client that closes its response aborts the handler and is sent nothing more."),
  ),
  "hosting:http:modern:posted-cancel": modern(
    spec("cancellation", "stated", "A posted notifications/cancelled is accepted and cancels nothing."),
  ),
  "hosting:http:modern:backpressure": modern(
    decided("http-backpressure", "10,000 notifications to a slow reader wait for it, or end its stream at the bound."),
  ),
  "hosting:http:modern:notification-post-202": modern(
    spec("sending-messages", "must", "A notification is 202 without a body."),
  ),
  "hosting:http:modern:dropped-notifications": modern(
    decided("dropped-notifications", "A notification that this era lacks is 202 as well, and reaches no handler."),
  ),
  "hosting:http:modern:response-400": modern(
    spec("sending-messages", "must", "A posted response is 400, and so is a batch."),
  ),
};

const modernErrors: Requirements = {
  "hosting:http:modern:initialize-removed": modern(
    spec("protocol-version-header", "must", "initialize with a modern envelope is -32601 and 404."),
  ),
  "hosting:http:modern:removed-method-status-404": modern(
    spec(
      "protocol-version-header",
      "must",
      "Methods that are unknown, or that this era has no more, are -32601 and 404.",
    ),
  ),
  "hosting:http:modern:unsupported-version-400": modern(
    spec(
      "protocol-version-header",
      "must",
      "An unknown revision is -32022 and 400 with requested and supported, whether _meta names it or the header alone.",
    ),
  ),
  "hosting:http:modern:served-revisions": modern(
    spec(
      "protocol-version-header",
      "must",
      "An endpoint without the legacy era lists modern revisions alone, in discovery and when it refuses one.",
    ),
  ),
  "hosting:http:modern:envelope-missing-key-status-400": modern(
    decided("http-statuses", "A request without a required field of _meta is -32602 and 400."),
  ),
  "hosting:http:modern:missing-capability-400": modern(
    decided("http-statuses", "A request that needs an undeclared capability is -32021 and 400, and names it."),
  ),
  "hosting:http:modern:handler-error-status-via-table": modern(
    decided("http-statuses", "The code of an error decides its status, also if a handler threw it; its data is kept."),
  ),
  "hosting:http:modern:handler-exception-internal-error": modern(
    decided("http-statuses", "A handler that crashes, or returns what JSON cannot express, is an opaque -32603."),
  ),
  "hosting:http:modern:header-version": modern(
    spec("server-validation", "must", "A version header that is missing or differs from the body is -32020 and 400."),
  ),
  "hosting:http:modern:header-mirrors": modern(
    spec("server-validation", "must", "Mcp-Method and Mcp-Name that are missing or differ are -32020 and 400."),
  ),
  "hosting:http:modern:header-forms": modern(
    spec("case-sensitivity", "must", "Header names have any case, values are exact apart from the space around them."),
  ),
  "hosting:http:modern:header-unsafe": modern(
    spec(
      "server-behavior-for-custom-headers",
      "must",
      "A header with characters outside of ASCII, or of an integer beyond 2^53, is -32020 and 400, even if the body has the same.",
    ),
  ),
  "hosting:http:modern:header-base64": modern(
    spec(
      "value-encoding",
      "must",
      "Base64 in Mcp-Name and Mcp-Param is decoded before comparing, and refused if broken.",
    ),
  ),
  "hosting:http:modern:header-params": modern(
    spec("server-behavior-for-custom-headers", "must", "Headers of annotated arguments must say what the body says."),
  ),
  "hosting:http:modern:header-params-own": modern(
    decided("own-tools", "They must do so too for tools that handlers of the server's own list and call."),
  ),
  "hosting:http:modern:header-order": modern(
    decided("http-header-checks", "Of several faults, the first of the documented order is answered."),
  ),
  "hosting:http:modern:duplicate-keys": modern(
    decided("http-header-checks", "With duplicate keys in a body, what is checked is what is served."),
  ),
  "tools:register:header-annotations": {
    ...modern(spec("schema-extension", "must", "A tool whose x-mcp-header breaks a rule cannot be registered.")),
    over: LOCAL,
  },
};

const faults: Requirements = {
  "hosting:http:soak:cancelled-modern": modern(
    decided("http-under-faults", "Requests whose clients have left keep neither a handler running nor memory."),
  ),
  "hosting:http:soak:rejected": decided("http-under-faults", "Refused requests leave no session and keep no memory."),
  "hosting:http:soak:unread": decided(
    "http-under-faults",
    "Ten thousand notifications to a client that reads nothing cost no more than the queue's bound, in both eras.",
  ),
  "transport:streamable-http:modern-under-faults": modern(
    decided(
      "http-under-faults",
      "However connections break, calls settle, what arrives is whole and in order, and no handler runs on for nobody.",
    ),
  ),
};

const mounting: Requirements = {
  "hosting:express:adapter-basic-flow": decided(
    "http-mounting",
    "Express serves both eras, with and without its JSON parser.",
  ),
  "hosting:express-app-helper": decided("http-mounting", "A body that Express has parsed is used as it is."),
  "hosting:express:adapter-host-header-validation": decided(
    "http-host-checks",
    "Mounted in Express, foreign hosts are 403.",
  ),
  "hosting:fastify:basic-flow": decided("http-mounting", "Fastify serves both eras with the body that it has parsed."),
  "hosting:fastify:host-header-validation": decided("http-host-checks", "Mounted in Fastify, foreign hosts are 403."),
  "hosting:hono:basic-flow": decided("http-mounting", "Hono serves both eras through the web-standard handler."),
  "hosting:hono:host-header-validation": decided("http-host-checks", "Mounted in Hono, foreign hosts are 403."),
};

export const httpServing: Requirements = {
  ...anyRequest,
  ...eras,
  ...modernExchanges,
  ...modernErrors,
  ...faults,
  ...mounting,
};
