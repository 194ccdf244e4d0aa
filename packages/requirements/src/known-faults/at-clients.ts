/** What may reach a client. */
import type { KnownFault } from "./known-fault.js";

const overHttp: readonly KnownFault[] = [
  {
    fault: "202 or 204 in answer to a request",
    outcome: "the call rejects",
    entries: ["client-transport:http:unanswered-rejects"],
  },
  {
    fault: "a stream that ends without the answer",
    outcome: "the call rejects; a legacy stream with event ids is resumed",
    entries: ["client-transport:http:unanswered-rejects", "client-transport:http:reconnect-post-priming"],
  },
  {
    fault: "a connection that is reset, or on which nothing comes",
    outcome: "the call rejects, at the latest when its time is up",
    entries: ["client-transport:http:body-stream-error-preserved", "client-transport:http:half-open"],
  },
  {
    fault: "404 in a session",
    outcome: "one new session, and the call is made once more",
    entries: ["client-transport:http:session-404-reinitialize", "client-transport:http:404-surfaces"],
  },
  {
    fault: "a server that keeps asking to be called again",
    outcome: "its `retry` is honored within bounds, attempts are counted and spread out",
    entries: ["client-transport:http:reconnect-retry-value", "client-transport:http:reconnects-are-bounded"],
  },
  {
    fault: "a web page with status 200",
    outcome: "an error that shows its beginning and says what to check",
    entries: ["client-transport:http:wrong-content"],
  },
  {
    fault: "a response or an event over the limit",
    outcome: "the call rejects, and the connection is closed",
    entries: ["client-transport:http:response-limit"],
  },
  {
    fault: "CRLF, characters cut in two and comments in a stream",
    outcome: "read as they are meant",
    entries: ["client-transport:http:stream-framing"],
  },
  {
    fault: "a request of the server on a modern stream",
    outcome: "neither served nor answered, and reported",
    entries: ["client-transport:http:server-request-refused", "transport:stdio:noise"],
  },
  {
    fault: "an answer nobody waits for, or a second one",
    outcome: "dropped and reported",
    entries: ["client-transport:http:stray-answers", "transport:stdio:noise"],
  },
  {
    fault: "a result of an unknown type",
    outcome: "the call rejects as `unknown-result-type`",
    entries: ["client-transport:http:unknown-result-type"],
  },
  {
    fault: "a server that asks without end",
    outcome: "`too-many-rounds` after 8 of them",
    entries: ["client-transport:http:rounds-cap"],
  },
  {
    fault: "a list without end, or an empty cursor in it",
    outcome: "`too-many-pages` at the limit; an empty cursor is no end",
    entries: ["client-transport:http:page-cap", "client-transport:http:empty-cursor"],
  },
];

const overStdio: readonly KnownFault[] = [
  {
    fault: "a program that dies in the middle of a line",
    outcome: "everything that is pending rejects, with its exit code and last words",
    entries: ["transport:stdio:crash"],
  },
  {
    fault: "a program that prints to its standard output",
    outcome: "skipped and reported",
    entries: ["transport:stdio:noise"],
  },
  {
    fault: "a program that ignores the end of its input",
    outcome: "SIGTERM, then SIGKILL",
    entries: ["transport:stdio:shutdown-escalation"],
  },
];

const agreements: readonly KnownFault[] = [
  {
    fault: "a server that answers a pinned handshake with an older revision",
    outcome: "the revision that was settled on is the one that is sent",
    entries: ["client-transport:http:protocol-version-header"],
  },
  {
    fault: "a probe that is refused",
    outcome: "a modern error ends the attempt, anything else is followed by `initialize`",
    entries: [
      "client-transport:http:probe-refused",
      "client-transport:http:probe-fallback",
      "client-transport:sse:no-fallback",
    ],
  },
  {
    fault: "a tool with an invalid `x-mcp-header`",
    outcome: "left out of the list, and reported by name",
    entries: ["client-transport:http:bad-header-annotation"],
  },
  {
    fault: "a schema that refers to another document",
    outcome: "unusable; nothing is ever fetched",
    entries: ["client-transport:http:schema-refs"],
  },
];

const logins: readonly KnownFault[] = [
  {
    fault: "metadata of an authorization server that names another issuer",
    outcome: "the login ends, and none of its endpoints is called",
    entries: ["client-auth:as-metadata-discovery:issuer-validation"],
  },
  {
    fault: "an authorization response without the `iss` that the server advertises",
    outcome: "the login ends before a token is requested",
    entries: ["client-auth:iss:supported-missing-reject", "client-auth:iss:mismatch-reject"],
  },
  {
    fault: "metadata on a private or link-local address",
    outcome: "not fetched; a server on this machine may name others on it",
    entries: ["client-auth:guard:private-address", "client-auth:guard:local-server"],
  },
  {
    fault: "resource metadata of another server",
    outcome: "the login ends before an authorization server is asked",
    entries: ["client-auth:prm-resource-mismatch"],
  },
  {
    fault: "metadata that redirects in a loop",
    outcome: "three redirects are followed, then the login ends",
    entries: ["client-auth:guard:redirects"],
  },
  {
    fault: "an authorization server that does not list PKCE",
    outcome: "nobody logs in there, not even for more scopes",
    entries: ["client-auth:pkce:refuse-if-unsupported", "client-auth:pkce:openid"],
  },
  {
    fault: "an endpoint that is a `javascript:` URL",
    outcome: "never opened, and the login ends",
    entries: ["client-auth:guard:endpoints"],
  },
  {
    fault: "another authorization server than before",
    outcome: "the client registers there, and shows it no credentials of the old one",
    entries: [
      "client-auth:as-migration:no-cred-reuse",
      "client-auth:as-migration:reregister",
      "client-auth:as-binding",
    ],
  },
  {
    fault: "401 or 403 again and again",
    outcome: "three tokens per call at most, and none after a token that was just issued",
    entries: ["client-auth:stepup:retry-cap", "client-auth:401-after-auth-throws"],
  },
  {
    fault: "a token that expires under many calls",
    outcome: "one refresh for all of them",
    entries: ["client-auth:refresh:one-flight"],
  },
];

export const faultsAtClients: readonly KnownFault[] = [...overHttp, ...overStdio, ...agreements, ...logins];
