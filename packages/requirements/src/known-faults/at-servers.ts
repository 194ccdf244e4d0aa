/** What may reach a server. */
import type { KnownFault } from "./known-fault.js";

const bodies: readonly KnownFault[] = [
  {
    fault: "JSON that breaks off",
    outcome: "400, -32700; over stdio the same without an id, and the next line is served",
    entries: ["hosting:http:parse-error-400", "transport:stdio:unreadable-lines"],
  },
  {
    fault: "valid JSON that is no message",
    outcome: "400, -32600",
    entries: ["hosting:http:invalid-request-400"],
  },
  {
    fault: "a notification",
    outcome: "202 without a body",
    entries: ["hosting:http:modern:notification-post-202", "hosting:http:notifications-202"],
  },
  {
    fault: "a batch",
    outcome: "400, -32600, except in 2025-03-26",
    entries: ["hosting:http:batch", "hosting:http:modern:response-400"],
  },
  {
    fault: "an id that is null or a fraction",
    outcome: "-32600",
    entries: ["hosting:http:invalid-request-400", "transport:stdio:unreadable-lines"],
  },
  {
    fault: "an id that is 0, negative or an empty string",
    outcome: "served like any other, and can be cancelled",
    entries: ["hosting:http:odd-ids"],
  },
  {
    fault: "a response posted to a modern server",
    outcome: "400, -32600",
    entries: ["hosting:http:modern:response-400"],
  },
  {
    fault: "a body of 64 MB",
    outcome: "413 before it is read, and the connection closes",
    entries: ["hosting:http:body-limit"],
  },
  {
    fault: "a chunked body without a length",
    outcome: "413 as soon as it is over the limit",
    entries: ["hosting:http:body-limit"],
  },
  {
    fault: "JSON nested 100,000 deep",
    outcome: "400, and the process goes on",
    entries: ["hosting:http:depth-limit", "transport:stdio:node-limit"],
  },
  {
    fault: "a key twice in one object",
    outcome: "headers are held against the value that is served",
    entries: ["hosting:http:modern:duplicate-keys"],
  },
  {
    fault: "a tool named `__proto__` or `constructor`",
    outcome: "-32602, like any unknown name",
    entries: ["hosting:http:hostile-names"],
  },
  {
    fault: "bytes that are not UTF-8",
    outcome: "400, -32700",
    entries: ["hosting:http:parse-error-400", "transport:stdio:unreadable-lines"],
  },
  {
    fault: "a byte order mark",
    outcome: "400, -32700, on every host and over stdio",
    entries: ["hosting:http:parse-error-400", "transport:stdio:unreadable-lines"],
  },
];

const headers: readonly KnownFault[] = [
  { fault: "a body of `text/plain`", outcome: "415", entries: ["hosting:http:content-type-415"] },
  {
    fault: "an `Accept` header that rules answers out",
    outcome: "406",
    entries: ["hosting:http:accept-406", "hosting:http:standalone-sse"],
  },
  {
    fault: "a page of another origin",
    outcome: "403",
    entries: ["transport:streamable-http:origin-validation", "hosting:http:host-validation-middleware"],
  },
  {
    fault: "another host's name on a local server",
    outcome: "403",
    entries: ["hosting:http:dns-rebinding", "hosting:http:host-validation-middleware"],
  },
  {
    fault: "a modern body without the version header",
    outcome: "400, -32020",
    entries: ["hosting:http:modern:header-version"],
  },
  {
    fault: "a header that says something else than the body",
    outcome: "400, -32020",
    entries: [
      "hosting:http:modern:header-version",
      "hosting:http:modern:header-mirrors",
      "hosting:http:modern:header-params",
    ],
  },
  {
    fault: "a header marked as Base64 that is none",
    outcome: "400, -32020",
    entries: ["hosting:http:modern:header-base64"],
  },
  {
    fault: "a name beyond ASCII in an encoded header",
    outcome: "served",
    entries: ["hosting:http:modern:header-base64"],
  },
  {
    fault: "an unknown revision",
    outcome: "400, -32022 with the revisions that are spoken; in a legacy session 400",
    entries: ["hosting:http:modern:unsupported-version-400", "hosting:http:protocol-version-400"],
  },
  { fault: "an unknown method", outcome: "404, -32601", entries: ["hosting:http:modern:removed-method-status-404"] },
  {
    fault: "a modern request without its `_meta`",
    outcome: "400, -32602",
    entries: ["hosting:http:modern:envelope-missing-key-status-400"],
  },
  {
    fault: "a call that needs what the client did not declare",
    outcome: "400, -32021 with what is missing",
    entries: ["hosting:http:modern:missing-capability-400"],
  },
  {
    fault: "GET or DELETE where only the modern era is served",
    outcome: "405",
    entries: ["hosting:http:modern:get-delete-405"],
  },
  {
    fault: "a session id or `Last-Event-ID` on a modern request",
    outcome: "ignored",
    entries: ["hosting:http:modern:stray-session"],
  },
];

const requests: readonly KnownFault[] = [
  {
    fault: "an id that is being served already",
    outcome: "-32600, and the first request is answered",
    entries: ["hosting:http:duplicate-id", "transport:stdio:duplicate-id"],
  },
  {
    fault: "one id in separate requests of several clients",
    outcome: "each gets its own answer",
    entries: [
      "hosting:http:modern:isolated-ids",
      "hosting:stateless:concurrent-clients",
      "flow:multi-client:stateful-isolation",
    ],
  },
  {
    fault: "a second `initialize`",
    outcome: "-32600, and the session goes on as it was",
    entries: ["hosting:session:reinitialize"],
  },
  { fault: "a session that has ended", outcome: "404", entries: ["hosting:session:post-termination-404"] },
  {
    fault: "somebody else's session",
    outcome: "404",
    entries: ["hosting:session:principal", "hosting:session:revived", "transport:sse:post:session-routing"],
  },
  {
    fault: "a second standalone stream",
    outcome: "409, and the first goes on",
    entries: ["hosting:http:second-sse-rejected"],
  },
  {
    fault: "an unknown `Last-Event-ID`",
    outcome: "400, and nothing is replayed",
    entries: ["hosting:resume:bad-event-id"],
  },
  {
    fault: "the event id of another stream or session",
    outcome: "nothing of the others is replayed",
    entries: ["hosting:resume:stream-scoped", "hosting:resume:bad-event-id"],
  },
  {
    fault: "DELETE while a request is being served",
    outcome: "its handler is aborted, and its response ends with -32603",
    entries: ["hosting:session:delete-cancels-inflight"],
  },
  {
    fault: "a cancelled request whose events are stored",
    outcome: "its stream ends, and nothing of it is kept",
    entries: ["hosting:resume:cancelled", "hosting:http:cancelled"],
  },
  {
    fault: "a cancellation of what is unknown or over",
    outcome: "ignored",
    entries: ["hosting:http:cancelled-nothing", "hosting:http:modern:posted-cancel"],
  },
  {
    fault: "a client that goes away during a request",
    outcome: "a modern handler is aborted, a legacy one goes on",
    entries: ["hosting:http:modern:disconnect-aborts", "hosting:http:disconnect-not-cancel"],
  },
];

const load: readonly KnownFault[] = [
  {
    fault: "10,000 notifications to a client that hardly reads",
    outcome: "a handler that waits is slowed down, one that does not is cut off; memory stays bounded",
    entries: [
      "hosting:http:modern:backpressure",
      "hosting:http:slow-reader",
      "hosting:http:soak:unread",
      "hosting:http:stalled-reader",
      "hosting:http:send-no-listener-noop",
    ],
  },
  {
    fault: "a flood of notifications from a client",
    outcome: "nothing of it stays",
    entries: ["hosting:http:notification-flood", "hosting:http:cancellation-flood"],
  },
  {
    fault: "a request that trickles in",
    outcome: "408, and the connection closes",
    entries: ["hosting:http:slow-writer-408"],
  },
  {
    fault: "a handler that throws",
    outcome: "-32603, or a failed tool's result, without a word of what it threw",
    entries: [
      "tools:call:handler-throws",
      "hosting:http:modern:handler-exception-internal-error",
      "hosting:http:legacy-crash",
      "protocol:error:internal-error",
    ],
  },
  {
    fault: "a result that JSON cannot express",
    outcome: "-32603",
    entries: ["hosting:http:modern:handler-exception-internal-error", "hosting:http:legacy-crash"],
  },
  {
    fault: "a `requestState` that was changed, is late, or is another user's or request's",
    outcome: "-32602, and no handler runs",
    entries: ["hosting:http:modern:state-refused", "hosting:http:state-owner"],
  },
  {
    fault: "an argument made to keep a pattern busy",
    outcome: "refused at once",
    entries: ["tools:input-validation:hostile-pattern"],
  },
  {
    fault: "a resource that does not exist",
    outcome: "-32602; to legacy clients -32002",
    entries: ["resources:read:unknown-uri", "resources:read:unknown-uri-legacy"],
  },
  { fault: "a cursor that was made up", outcome: "-32602", entries: ["pagination:invalid-cursor"] },
  {
    fault: "the end of standard input",
    outcome: "the process exits soon, whatever still runs in it",
    entries: ["transport:stdio:end-of-input", "transport:stdio:parent-death"],
  },
  {
    fault: "one subscription over the limit",
    outcome: "429, and the others go on",
    entries: ["subscriptions:listen:capacity-guard", "resources:subscribe:capacity-guard"],
  },
];

const tokens: readonly KnownFault[] = [
  {
    fault: "a token for another audience, or for none",
    outcome: "401",
    entries: ["hosting:auth:aud-validation"],
  },
  {
    fault: "clocks that differ from the issuer's",
    outcome: "tolerated up to 60 seconds, else 401",
    entries: ["oauth-resource:clock-skew"],
  },
  {
    fault: "a token with an unknown key",
    outcome: "one fetch of the issuer's keys, however many come",
    entries: ["oauth-resource:key-rotation"],
  },
  {
    fault: "a token without a signature, or with the public key as its secret",
    outcome: "401",
    entries: ["oauth-resource:algorithms"],
  },
  {
    fault: "an issuer that does not answer",
    outcome: "503 for tokens that are not known yet",
    entries: ["oauth-resource:issuer-away"],
  },
  {
    fault: "a flood of junk tokens while the issuer is slow",
    outcome: "503 for more of them; other addresses and tokens that were good before are served",
    entries: ["oauth-resource:junk-tokens"],
  },
];

const logins: readonly KnownFault[] = [
  {
    fault: "an authorization code that is used again",
    outcome: "`invalid_grant`, and the tokens of its first use are revoked",
    entries: ["hosting:auth:as:code-single-use"],
  },
  {
    fault: "another redirect URI at the token endpoint",
    outcome: "`invalid_grant`",
    entries: ["hosting:auth:as:redirect-uri-binding"],
  },
  {
    fault: "a refresh token that is used again after its successor",
    outcome: "`invalid_grant`, and every token of its grant is revoked",
    entries: ["oauth-server:refresh-reuse"],
  },
  {
    fault: "the answer to a refresh that is lost",
    outcome: "the client refreshes again with the token it has",
    entries: ["oauth-server:refresh-lost-answer"],
  },
  {
    fault: "a client metadata document on a link-local address",
    outcome: "not fetched, and the login ends on a page",
    entries: ["oauth-server:document-addresses"],
  },
  {
    fault: "a flood of client registrations",
    outcome: "429 beyond the rate of an address",
    entries: ["oauth-server:registration-flood"],
  },
];

export const faultsAtServers: readonly KnownFault[] = [
  ...bodies,
  ...headers,
  ...requests,
  ...load,
  ...tokens,
  ...logins,
];
