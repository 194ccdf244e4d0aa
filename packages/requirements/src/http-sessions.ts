/** Legacy clients over HTTP: sessions, streams, resuming, serving without sessions, and HTTP+SSE of 2024-11-05. */
import { LOCAL, OVER_HTTP, type Requirement, type Requirements, type Strength } from "./requirement.js";

const PAGE = "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports";
const OLDEST_PAGE = "https://modelcontextprotocol.io/specification/2024-11-05/basic/transports";
const LAST = "2025-11-25";

function spec(anchor: string, strength: Strength, behavior: string): Requirement {
  return { behavior, source: `${PAGE}#${anchor}`, strength, until: LAST, over: OVER_HTTP };
}

function decided(decision: string, behavior: string): Requirement {
  return { behavior, source: { decision }, strength: "decision", until: LAST, over: OVER_HTTP };
}

const lives: Requirements = {
  "hosting:session:id-prefix": decided(
    "workers-of-one-machine",
    "The ids of sessions begin with the prefix of their process, over Streamable HTTP and over HTTP+SSE.",
  ),
  "hosting:session:relay": decided(
    "workers-of-one-machine",
    "A session relay decides for each request whether it is served here, and has requests of others served.",
  ),
  "hosting:session:create": spec(
    "session-management",
    "may",
    "The answer to initialize names the session in a header, and no other response does.",
  ),
  "hosting:session:id-charset": spec(
    "session-management",
    "must",
    "Session ids are visible ASCII, long, and never the same.",
  ),
  "hosting:session:reuse": spec(
    "session-management",
    "stated",
    "What a session has settled holds for every later request with its id.",
  ),
  "hosting:session:missing-id": spec(
    "session-management",
    "should",
    "A request without a session id is 400, initialize aside.",
  ),
  "hosting:session:unknown-id": spec("session-management", "must", "An unknown session id is 404 for every verb."),
  "hosting:session:delete": spec("session-management", "stated", "DELETE ends the session it names."),
  "hosting:session:post-termination-404": spec(
    "session-management",
    "must",
    "A session that has ended is 404 for every verb.",
  ),
  "hosting:session:delete-cancels-inflight": decided(
    "ending-a-session",
    "DELETE aborts the handlers of the session; what they were to answer is answered with -32603, once.",
  ),
  "hosting:session:isolation": decided("ending-a-session", "A session that ends leaves the others as they are."),
  "hosting:session:reinitialize": decided(
    "one-handshake",
    "A second initialize in a session is -32600, and the session goes on as it was.",
  ),
  "hosting:session:principal": decided("session-owner", "A session is 404 to everybody but the one who opened it."),
  "hosting:session:failed-initialize": decided(
    "one-handshake",
    "An initialize that fails, is refused or is abandoned leaves no session behind.",
  ),
  "hosting:session:idle": decided(
    "session-limits",
    "A session ends when nothing has been running or listening in it for the idle time, and not before.",
  ),
  "hosting:session:limit": decided(
    "session-limits",
    "At the limit of sessions the one that was idle longest makes room; if none is idle, initialize is 503.",
  ),
  "hosting:session:lifecycle-callbacks": decided(
    "session-limits",
    "The host's hooks hear of each session that opens and of how it ends.",
  ),
  "hosting:session:cors-expose": decided(
    "session-owner",
    "With CORS, pages of allowed origins can read the session id.",
  ),
  "hosting:session:revived": decided(
    "session-store",
    "With a session store another process takes a session up as it was, for its owner alone.",
  ),
  "hosting:session:store-503": decided(
    "unavailable-stores",
    "A request whose session is in a store that fails is 503 with Retry-After, and finds its session when the store works again.",
  ),
  "hosting:session:late-cancellation": decided(
    "duplicate-id-in-flight",
    "A cancellation that arrives after the answer of its request cancels no later request with the same id.",
  ),
  "hosting:session:lookups": decided(
    "session-store",
    "Of the requests that name unknown sessions, few of one principal or address wait for the session store; the rest get a 429 " +
      "with Retry-After. Sessions of others are found meanwhile.",
  ),
  "hosting:replicas:answer": decided(
    "sessions-at-any-process",
    "With a session channel, the answer to a question of a handler reaches it, at whatever process it is posted.",
  ),
  "hosting:replicas:answer-lost": decided(
    "sessions-at-any-process",
    "An answer whose asking process cannot be reached is 503 with Retry-After.",
  ),
  "hosting:replicas:question-ids": decided(
    "sessions-at-any-process",
    "No two processes ask the client of a session under the same id.",
  ),
  "hosting:replicas:standalone-question": decided(
    "sessions-at-any-process",
    "A question that belongs to no request goes out on the standalone stream of another process, and its answer comes back.",
  ),
  "hosting:replicas:cancel": decided(
    "sessions-at-any-process",
    "A cancellation stops the handler, at whatever process it is posted.",
  ),
  "hosting:replicas:resume": decided(
    "sessions-at-any-process",
    "A stream that one process began is resumed at another: what was stored, and what its handler emits from then on, once and in order.",
  ),
  "hosting:replicas:writer-died": decided(
    "sessions-at-any-process",
    "A resumed stream whose process has died ends, and resuming it again is 400.",
  ),
  "hosting:replicas:delete": decided(
    "sessions-at-any-process",
    "DELETE at one process aborts the handlers, ends the streams and makes later requests 404 at all of them.",
  ),
  "hosting:replicas:delete-late": decided(
    "sessions-at-any-process",
    "A DELETE is 503 if the store answers too late. Repeated there, it is 204, and the session ends at all processes; at a process " +
      "that does not have the session it is 404, and the session ends at the others.",
  ),
  "hosting:replicas:state": decided(
    "sessions-at-any-process",
    "A log level and a subscription that were set at one process hold at all once the request is answered.",
  ),
  "hosting:replicas:one-stream": decided(
    "sessions-at-any-process",
    "A second GET is 409 at every process while the first is open, and is accepted once it is closed.",
  ),
  "hosting:replicas:stream-taken-over": decided(
    "sessions-at-any-process",
    "If the process with the open GET has died, the next GET is accepted, and the client is told to fetch what it may have missed.",
  ),
  "hosting:replicas:changes-once": decided(
    "sessions-at-any-process",
    "A change reaches the client of a session once, however many processes have served it.",
  ),
  "hosting:replicas:one-read": decided(
    "sessions-at-any-process",
    "A plain call in a session that the process knows reads the session store once, and does nothing else with the stores.",
  ),
  "hosting:replicas:untouched": decided(
    "sessions-at-any-process",
    "A process that no request of a session reached neither subscribes to its channel nor reads its record.",
  ),
  "hosting:replicas:unavailable": decided(
    "unavailable-stores",
    "While the channel or the store fails, requests of shared sessions are 503 with Retry-After, running calls are answered, and sessions go on afterwards.",
  ),
  "hosting:replicas:options": {
    ...decided(
      "sessions-at-any-process",
      "A session channel without both stores, or with a session store that cannot replace records, is refused, and the error says what to do.",
    ),
    over: LOCAL,
  },
  "flow:multi-client:stateful-isolation": decided(
    "session-owner",
    "Clients with sessions of their own, and equal request ids, never see one another's messages.",
  ),
  "flow:session:terminate-then-reconnect": spec(
    "session-management",
    "must",
    "A client whose session was ended goes on in a new one.",
  ),
};

const streams: Requirements = {
  "transport:streamable-http:stateful": spec(
    "streamable-http",
    "must",
    "A client and a server with sessions get through a whole conversation.",
  ),
  "transport:streamable-http:notifications": spec(
    "sending-messages-to-the-server",
    "may",
    "Notifications of a request precede its answer, on its own stream.",
  ),
  "transport:streamable-http:server-to-client": spec(
    "sending-messages-to-the-server",
    "may",
    "A handler's question goes out on the stream of its request, and its answer is posted.",
  ),
  "transport:streamable-http:unrelated-messages": spec(
    "listening-for-messages-from-the-server",
    "should",
    "What belongs to no request goes to the standalone stream alone.",
  ),
  "hosting:http:cancelled": decided(
    "cancelled-over-http",
    "A cancelled request ends its response without an answer: a stream that ends, or 204 where there are no streams.",
  ),
  "hosting:http:cancelled-early": decided(
    "early-cancellations",
    "A request whose cancellation arrived before it is ended at once, and its handler does not run.",
  ),
  "hosting:http:json-until-streamed": decided(
    "json-before-streams",
    "A response is plain JSON unless something precedes the answer, or the stream has to be resumable from its start.",
  ),
  "hosting:http:notifications-202": spec(
    "sending-messages-to-the-server",
    "must",
    "A posted notification or response is 202 without a body.",
  ),
  "hosting:http:response-same-connection": spec(
    "sending-messages-to-the-server",
    "must",
    "An answer goes to the response of its own request, in whichever order requests settle.",
  ),
  "hosting:http:duplicate-id": decided(
    "duplicate-id-in-flight",
    "A request with the id of one that is being served is -32600, and the first is answered.",
  ),
  "hosting:http:sse-close-after-response": spec(
    "sending-messages-to-the-server",
    "should",
    "The stream of a request ends after its answer.",
  ),
  "hosting:http:disconnect-not-cancel": spec(
    "sending-messages-to-the-server",
    "should",
    "A client that goes away does not stop the handler of its request.",
  ),
  "hosting:http:batch": spec(
    "sending-messages-to-the-server",
    "must",
    "A batch is answered by one array in 2025-03-26, and is 400 elsewhere.",
  ),
  "hosting:http:batch-limit": decided(
    "bounded-by-default",
    "A batch of more messages than maxBatchItems is 400, and none of it is served, with sessions and without.",
  ),
  "hosting:http:standalone-sse": spec(
    "listening-for-messages-from-the-server",
    "may",
    "GET opens a stream for what the server sends by itself; 406 if the client takes no stream.",
  ),
  "hosting:http:standalone-sse-no-response": spec(
    "listening-for-messages-from-the-server",
    "must",
    "The standalone stream never carries an answer.",
  ),
  "hosting:http:second-sse-rejected": decided(
    "unheard-messages",
    "A second standalone stream is 409 while the first is open.",
  ),
  "hosting:http:no-broadcast": spec(
    "multiple-connections",
    "must",
    "A message goes out on one stream of its session, however many are open.",
  ),
  "hosting:http:send-no-listener-noop": decided(
    "unheard-messages",
    "What is sent while nobody listens fails nothing, and waits within bounds for whoever listens next.",
  ),
  "hosting:http:slow-reader": decided(
    "unheard-messages",
    "A client that does not read its stream is disconnected at the queue's bound.",
  ),
  "hosting:http:protocol-version-400": spec(
    "protocol-version-header",
    "must",
    "An MCP-Protocol-Version that is not spoken here is 400 for every verb.",
  ),
  "hosting:http:protocol-version-rejection-literal": decided(
    "version-header-in-sessions",
    'A refused version header is answered in words that start with "Unsupported protocol version".',
  ),
  "hosting:http:protocol-version-session": decided(
    "version-header-in-sessions",
    "In a session the revision of its handshake holds, without a version header or with another one.",
  ),
  "hosting:http:protocol-version-default": spec(
    "protocol-version-header",
    "should",
    "Without sessions, a request without a version header is served by 2025-03-26.",
  ),
};

const faults: Requirements = {
  "hosting:http:soak:cancelled-legacy": decided(
    "http-under-faults",
    "Cancelled requests keep neither a handler running nor memory nor events.",
  ),
  "hosting:http:soak:abandoned": decided(
    "http-under-faults",
    "A thousand sessions that nobody uses any more are gone when they have idled long enough, with all they held.",
  ),
  "transport:streamable-http:legacy-under-faults": decided(
    "http-under-faults",
    "However connections break, calls settle, what arrives is whole and in order, and closing leaves nothing alive.",
  ),
  "transport:streamable-http:resumed-under-faults": decided(
    "http-under-faults",
    "With an event store nothing is lost either, however connections break: neither of a request's stream nor of the other.",
  ),
};

const plainJson: Requirements = {
  "transport:streamable-http:json-response": spec(
    "streamable-http",
    "may",
    "A client and a server that answers with plain JSON get through a whole conversation.",
  ),
  "hosting:http:json-response-mode": spec(
    "sending-messages-to-the-server",
    "may",
    "With jsonResponses every answer is application/json.",
  ),
  "transport:streamable-http:json-response-restrictions": decided(
    "plain-json-mode",
    "With jsonResponses a handler's question fails at once, and notifications of requests vanish.",
  ),
};

const stateless: Requirements = {
  "transport:streamable-http:stateless": spec(
    "streamable-http",
    "may",
    "A client and a server without sessions get through a whole conversation.",
  ),
  "transport:streamable-http:stateless-restrictions": decided(
    "stateless-mode",
    "Without sessions a handler's question, and subscribing to a resource, are errors at once.",
  ),
  "hosting:stateless:no-session-id": decided(
    "stateless-mode",
    "A stateless server hands out no session ids and looks at none.",
  ),
  "hosting:stateless:concurrent-clients": decided(
    "stateless-mode",
    "Many clients with equal request ids share a stateless server.",
  ),
  "hosting:stateless:get-delete-405": decided("stateless-mode", "GET and DELETE are 405 at a stateless server."),
  "hosting:stateless:progress-in-post-stream": decided(
    "stateless-mode",
    "Progress of a stateless request comes on the stream of its response.",
  ),
};

const resuming: Requirements = {
  "transport:streamable-http:resumability": spec(
    "resumability-and-redelivery",
    "may",
    "A client that comes back with its last event id gets what it missed, and the stream goes on.",
  ),
  "hosting:resume:event-ids": spec(
    "resumability-and-redelivery",
    "must",
    "With an event store every event has an id, unique in its session.",
  ),
  "hosting:resume:priming": spec(
    "sending-messages-to-the-server",
    "should",
    "Streams of 2025-11-25 start with an event of an id, no data and a retry time; older clients get none.",
  ),
  "hosting:resume:replay": spec(
    "resumability-and-redelivery",
    "may",
    "A stream that is over is replayed from the given event to its end.",
  ),
  "hosting:resume:buffered-replay": spec(
    "resumability-and-redelivery",
    "may",
    "Events of the time without a connection are replayed in order, then the stream goes on.",
  ),
  "hosting:resume:stream-scoped": spec(
    "resumability-and-redelivery",
    "must",
    "Only events of the stream that the id belongs to are replayed.",
  ),
  "hosting:resume:unprimed": decided(
    "priming-needs-a-store",
    "Without an event store no event of a stream has an id, and the first one holds a message.",
  ),
  "hosting:resume:bad-event-id": decided(
    "resuming-from-nowhere",
    "An event id that is unknown, another session's or no longer kept is 400, and nothing is replayed.",
  ),
  "hosting:resume:close-stream": spec(
    "sending-messages-to-the-server",
    "may",
    "A handler can close its connection and have the client come back for the answer.",
  ),
  "hosting:resume:cancelled": decided(
    "cancelled-over-http",
    "A cancelled request leaves nothing in the event store, and coming back for it is refused at once.",
  ),
  "hosting:resume:session-end": decided("ending-a-session", "The events of a session go with it."),
};

const older: Requirements = {
  "transport:sse": spec(
    "backwards-compatibility",
    "stated",
    "A server that is asked to serves HTTP+SSE of 2024-11-05 beside Streamable HTTP.",
  ),
  "transport:sse:endpoint-event": {
    ...spec("", "must", "The stream of HTTP+SSE begins with an endpoint event that says where to post."),
    source: `${OLDEST_PAGE}#http-with-sse`,
    until: "2024-11-05",
  },
  "transport:sse:post:session-routing": decided(
    "http-sse-serving",
    "What is posted reaches the session it names; without one it is 400, with an unknown or somebody else's 404.",
  ),
  "flow:compat:dual-transport-server": decided(
    "http-sse-serving",
    "Clients of Streamable HTTP and of HTTP+SSE use one server side by side.",
  ),
};

export const httpSessions: Requirements = {
  ...lives,
  ...streams,
  ...faults,
  ...plainJson,
  ...stateless,
  ...resuming,
  ...older,
};
