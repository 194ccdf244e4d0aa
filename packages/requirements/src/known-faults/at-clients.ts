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

const whileLoggingIn: readonly KnownFault[] = [
  {
    fault: "metadata of an authorization server that names another issuer",
    outcome: "the login fails before any of its endpoints is called",
    entries: ["client-auth:as-metadata-discovery:issuer-validation"],
  },
  {
    fault: "a login response without the `iss` that the server advertises, or with another one",
    outcome: "the login fails before a token is requested, and nothing of an error is shown",
    entries: [
      "client-auth:iss:supported-missing-reject",
      "client-auth:iss:mismatch-reject",
      "client-auth:iss:hides-errors",
    ],
  },
  {
    fault: "resource metadata of another resource",
    outcome: "the login fails before an authorization server is asked",
    entries: ["client-auth:prm-resource-mismatch"],
  },
  {
    fault: "an authorization server without PKCE",
    outcome: "the login fails before the client registers",
    entries: ["client-auth:pkce:refuse-if-unsupported", "client-auth:pkce:openid"],
  },
  {
    fault: "a server that moves to another authorization server",
    outcome: "the client registers anew; the new server sees no credentials of the old one",
    entries: ["client-auth:as-migration:reregister", "client-auth:as-migration:no-cred-reuse"],
  },
  {
    fault: "401 or 403 for ever",
    outcome: "the call fails after one login, or after three for more scopes each time",
    entries: ["client-auth:401-after-auth-throws", "client-auth:stepup:retry-cap"],
  },
  {
    fault: "many calls at the expiry of a token",
    outcome: "one refresh, in one process or in several",
    entries: ["client-auth:refresh:one-flight", "client-auth:refresh:across-processes"],
  },
  {
    fault: "a client that is killed between the answer to a refresh and its store",
    outcome: "the next process refreshes again, and nobody logs in",
    entries: ["client-auth:refresh:killed"],
  },
];

const inMetadata: readonly KnownFault[] = [
  {
    fault: "metadata that leads a client to a private or link-local address, directly or by a redirect",
    outcome: "the login fails, and the address is not called; a local server may name local addresses",
    entries: [
      "client-auth:guard:private-address",
      "client-auth:guard:redirect-targets",
      "client-auth:guard:local-server",
    ],
  },
  {
    fault: "metadata that redirects in a loop",
    outcome: "the login fails after three redirects",
    entries: ["client-auth:guard:redirects"],
  },
  {
    fault: "metadata that never ends",
    outcome: "the login fails after a mebibyte",
    entries: ["client-auth:guard:size"],
  },
  {
    fault: "an endpoint that is a script, a file or without TLS",
    outcome: "the login fails before anything is opened",
    entries: ["client-auth:guard:endpoints"],
  },
  {
    fault: "a token endpoint that redirects elsewhere",
    outcome: "the login fails, and code and verifier are sent nowhere else",
    entries: ["client-auth:guard:token-redirect"],
  },
  {
    fault: "a login response that belongs to no login, on the loopback port",
    outcome: "400, and the login goes on waiting",
    entries: ["client-auth:loopback:foreign-response"],
  },
  {
    fault: "a process that is killed while it stores a token, or a file that is corrupt",
    outcome: "the token before it or the new one is there as a whole; a corrupt one leads to a login",
    entries: ["client-auth:file-store:killed", "client-auth:file-store:corrupt"],
  },
];

export const faultsAtClients: readonly KnownFault[] = [
  ...overHttp,
  ...overStdio,
  ...agreements,
  ...whileLoggingIn,
  ...inMetadata,
];
