/** Where the official clients depart from the specification, by the checks of parley-check that fail. */

export interface ClientDeparture {
  readonly client: "official v1" | "official v2";
  /** What the client does. */
  readonly what: string;
  /** What the specification says, in our words. */
  readonly rule: string;
  /** The page that says so. */
  readonly page: string;
  /** The checks that fail for it, in each revision. */
  readonly checks: readonly string[];
}

const SAMPLING_ERRORS = "2025-11-25/client/sampling#error-handling";
const SAMPLING_CHECKS = ["client-sampling-balance", "client-stdio-sampling-balance"];
const MIXED_CHECKS = ["client-sampling-mixed", "client-stdio-sampling-mixed"];

/** What both versions do alike. */
function ofBoth(departure: Omit<ClientDeparture, "client">): ClientDeparture[] {
  return [
    { ...departure, client: "official v1" },
    { ...departure, client: "official v2" },
  ];
}

export const clientDepartures: readonly ClientDeparture[] = [
  ...ofBoth({
    what: "Logs in at an authorization server whose metadata names no challenge methods.",
    rule: "A client refuses to proceed if code_challenge_methods_supported is absent.",
    page: "2026-07-28/basic/authorization/security-considerations#authorization-code-protection",
    checks: ["client-login-without-pkce"],
  }),
  ...ofBoth({
    what: "Makes no new handshake after a 404 in its session.",
    rule: "A client that gets 404 for its session starts a new one with initialize.",
    page: "2025-11-25/basic/transports#session-management",
    checks: ["client-session-renewed"],
  }),
  ...ofBoth({
    what: "Hands a sampling request to the application although a tool use in it has no result.",
    rule: "Clients should refuse a request in which a tool result is missing.",
    page: SAMPLING_ERRORS,
    checks: SAMPLING_CHECKS,
  }),
  ...ofBoth({
    what: "Hands a sampling request to the application although tool results in it are mixed with text.",
    rule: "Clients should refuse tool results that are mixed with other content.",
    page: SAMPLING_ERRORS,
    checks: MIXED_CHECKS,
  }),
  {
    client: "official v1",
    what: "Answers -32603 to an elicitation in an unknown mode.",
    rule: "A mode that the client has not declared is answered with -32602.",
    page: "2025-11-25/client/elicitation#error-handling",
    checks: ["client-elicitation-mode", "client-stdio-elicitation-mode"],
  },
  {
    client: "official v1",
    what: "Uses metadata of an authorization server that names another issuer.",
    rule: "The issuer of the metadata equals the one that the metadata was fetched for.",
    page: "2026-07-28/basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery",
    checks: ["client-login-other-issuer"],
  },
  {
    client: "official v1",
    what: "Refreshes its token at a 403 for missing scopes, and does not log in for them.",
    rule: "A client logs in for the scopes of the challenge.",
    page: "2026-07-28/basic/authorization#step-up-authorization-flow",
    checks: ["client-step-up"],
  },
  {
    client: "official v2",
    what: "Asks for the scopes of the challenge alone in a step-up.",
    rule: "A step-up asks for the scopes of before as well.",
    page: "2026-07-28/basic/authorization#step-up-authorization-flow",
    checks: ["client-step-up-union"],
  },
  {
    client: "official v2",
    what: "Sends initialize after a probe that was answered with -32020 or -32021.",
    rule: "An error of the modern era shows a modern server, which gets no handshake.",
    page: "2026-07-28/basic/transports/stdio#backward-compatibility",
    checks: [
      "client-probe-header-mismatch",
      "client-probe-capability",
      "client-stdio-probe-header-mismatch",
      "client-stdio-probe-capability",
    ],
  },
  {
    client: "official v2",
    what: "Resumes the lost stream of a modern call with GET and Last-Event-ID.",
    rule: "The modern era has no resumption: a lost request is sent again or fails.",
    page: "2026-07-28/basic/transports/streamable-http#earlier-streamable-http-revisions",
    checks: ["client-modern-not-resumed"],
  },
  {
    client: "official v2",
    what: "Serves the result of an input round a second time from its cache.",
    rule: "A result of a request with inputResponses or requestState is not kept.",
    page: "2026-07-28/server/utilities/caching#cache-key",
    checks: ["client-cache-rounds"],
  },
  {
    client: "official v2",
    what: "Sends SIGTERM to the program of its probe together with the end of its input.",
    rule: "A client closes the input of a program, waits for its exit, and forces it then.",
    page: "2026-07-28/basic/transports/stdio#shutdown",
    checks: ["client-stdio-modern-input-closed", "client-stdio-legacy-input-closed"],
  },
  {
    client: "official v2",
    what: "Does not start a program again that has exited.",
    rule: "A client restarts a program that exits unexpectedly.",
    page: "2026-07-28/basic/transports/stdio#unexpected-termination",
    checks: ["client-stdio-restarted"],
  },
];
