/** The scenarios of the official referee for servers and authorization servers, and the checks that decide the same. */

export interface Counterpart {
  readonly scenario: string;
  /** Ids of checks; a trailing * matches the rest. Empty with a reason. */
  readonly checks: readonly string[];
  /** What the checks leave out, or why there are none. */
  readonly remark?: string;
}

const FIXTURE_FORMS = "The referee also compares the fields of its fixture; the checker judges the form alone.";
const FIXTURE_VALUES = "The referee also compares the values of its fixture; the checker judges the form alone.";

function row(scenario: string, checks: string, remark?: string): Counterpart {
  const ids = checks === "" ? [] : checks.split(" ");
  return remark === undefined ? { scenario, checks: ids } : { scenario, checks: ids, remark };
}

export const REFEREE_COUNTERPARTS: readonly Counterpart[] = [
  row("server-initialize", "initialize-revision initialize-capabilities initialize-server-info session-id-characters"),
  row("server-session-lifecycle", "session-kept session-delete session-ended session-unknown-post"),
  row("server-stateless", "meta-* discover-* unknown-revision-* removed-* log-opt-in listen-* round-undeclared-error"),
  row("logging-set-level", "log-set-level"),
  row("ping", "ping-answered"),
  row("completion-complete", "completion-values completion-limit"),
  row("tools-list", "tools-list-* tools-input-schema tools-name-characters"),
  row("tools-call-simple-text", "tool-result-content tool-content-text"),
  row("tools-call-image", "tool-content-image"),
  row("tools-call-audio", "tool-content-audio"),
  row("tools-call-embedded-resource", "tool-content-resource"),
  row("tools-call-mixed-content", "tool-content-types"),
  row("tools-call-with-logging", "log-message-* log-threshold-legacy"),
  row("tools-call-error", "tool-is-error-boolean tool-result-content"),
  row("tools-call-with-progress", "progress-token progress-rises progress-before-answer"),
  row("tools-call-sampling", "question-answered question-sampling-*"),
  row("tools-call-elicitation", "question-form question-declined"),
  row("json-schema-2020-12", "tools-input-schema tools-input-schema-valid tools-schema-members", FIXTURE_VALUES),
  row("elicitation-sep1034-defaults", "question-form question-form-fields", FIXTURE_FORMS),
  row("server-sse-polling", "event-ids-primed resume-replays"),
  row("server-sse-multiple-streams", "tool-calls-at-once answers-on-own-response"),
  row("elicitation-sep1330-enums", "question-form question-form-fields", FIXTURE_FORMS),
  row("resources-list", "resources-list-* resources-uris"),
  row("resources-read-text", "resource-read resource-contents-body"),
  row("resources-read-binary", "resource-blob-base64"),
  row("resources-templates-read", "templates-list-shape templates-syntax", "The checker expands no templates."),
  row("resources-subscribe", "resource-subscribe"),
  row("resources-unsubscribe", "resource-unsubscribe"),
  row("sep-2164-resource-not-found", "resource-unknown resource-unknown-names-uri"),
  row("sep-2640-skills-directory", "skills-directory skills-directory-*"),
  row(
    "sep-2640-skills-enumeration",
    "skills-settings skills-resources-declared skills-list-* skills-entry-* skills-files-* skills-file-* skills-limits skills-get skills-get-*",
    "Reserved keys of the frontmatter are not looked for.",
  ),
  row(
    "sep-2640-skills-manifest",
    "skills-manifest-* skills-resource-names",
    "Keys of _meta are not looked at. The checker also compares the digest.",
  ),
  row("prompts-list", "prompts-list-* prompts-arguments"),
  row("prompts-get-simple", "prompt-get prompt-roles"),
  row("prompts-get-with-args", "prompt-argument-missing", "The checker has no arguments that fit a prompt."),
  row("prompts-get-embedded-resource", "prompt-content"),
  row("prompts-get-with-image", "prompt-content"),
  row("dns-rebinding-protection", "foreign-origin-post foreign-host"),
  row("caching", "cache-hints-* cache-ttl cache-scope"),
  row(
    "http-header-validation",
    "header-method-* header-name-* header-mismatch-status header-names-any-case header-space-around",
  ),
  row("http-custom-header-server-validation", "header-param-*"),
  row("tasks-lifecycle", "task-flat task-found", "The checker does not wait for the end of a modern task."),
  row("tasks-capability-negotiation", "task-extension-gated"),
  row("tasks-wire-fields", "task-flat"),
  row(
    "tasks-request-state-removal",
    "task-flat task-after-rounds",
    "A requestState is looked for in tasks that follow rounds.",
  ),
  row("tasks-mrtr-input", "task-questions task-answers-acknowledged task-answers-partly task-resumes"),
  row("tasks-request-headers", "header-name-missing-task header-name-differs-task header-method-*"),
  row("tasks-dispatch-and-envelope", "task-extension-unknown-*"),
  row("tasks-status-notifications", "", "The referee skips this scenario."),
  row(
    "tasks-required-task-error",
    "task-required",
    "Decided in 2025-11-25; the modern list does not say which tools need a task.",
  ),
  row(
    "tasks-mrtr-composition",
    "task-after-rounds",
    "The referee also compares the result with the answer that it gave.",
  ),
  row("input-required-result-basic-elicitation", "round-questions round-completes round-form-schema"),
  row("input-required-result-basic-sampling", "round-completes round-sampling-params"),
  row("input-required-result-basic-list-roots", "round-completes round-question-kinds"),
  row("input-required-result-request-state", "round-state-text round-completes"),
  row("input-required-result-multiple-input-requests", "round-questions round-completes"),
  row(
    "input-required-result-multi-round",
    "round-completes",
    "That two rounds have different states is not asked for.",
  ),
  row("input-required-result-missing-input-response", "round-missing-answer"),
  row("input-required-result-non-tool-request", "round-completes"),
  row("input-required-result-result-type", "result-type result-type-known"),
  row("input-required-result-unsupported-methods", "result-type-known"),
  row("input-required-result-tampered-state", "round-state-tampered"),
  row("input-required-result-capability-check", "round-undeclared"),
  row("input-required-result-ignore-extra-params", "round-extra-answer"),
  row("input-required-result-validate-input", "round-malformed-answer"),
  row("authorization-server-metadata-endpoint", "issuer-*"),
  row("authorization-code-grant", "token-not-cached", "The checker logs nobody in."),
];

/** Where the two judged the servers of official v1 and v2, tmcp, mcp-lite and fastmcp differently. */
export interface RefereeDisagreement {
  readonly scenario: string;
  readonly servers: string;
  readonly referee: string;
  readonly checker: string;
  /** What the specification says, in our words. */
  readonly rule: string;
  readonly page: string;
}

const SPEC = "https://modelcontextprotocol.io/specification";

export const REFEREE_DISAGREEMENTS: readonly RefereeDisagreement[] = [
  {
    scenario: "tools-list",
    servers: "official v1 and v2, mcp-lite",
    referee: "fails tools without a description",
    checker: "passes them",
    rule: "The description of a tool is optional in the schema.",
    page: `${SPEC}/2026-07-28/schema#tool`,
  },
  {
    scenario: "prompts-list",
    servers: "official v1 and v2, mcp-lite",
    referee: "fails prompts without a description",
    checker: "passes them",
    rule: "The description of a prompt is optional.",
    page: `${SPEC}/2026-07-28/server/prompts#data-types`,
  },
  {
    scenario: "dns-rebinding-protection",
    servers: "official v1 and v2, tmcp, fastmcp",
    referee: "fails a server that serves a foreign Host",
    checker: "fails `foreign-origin-*`, and notes `foreign-host`",
    rule: "Servers must validate the Origin header. The Host header is not mentioned.",
    page: `${SPEC}/2026-07-28/basic/transports/streamable-http#security-endpoint`,
  },
  {
    scenario: "completion-complete",
    servers: "mcp-lite",
    referee: "fails the method",
    checker: "finds it not applicable, and warns of the code -32603 (`completions-undeclared-refused`)",
    rule: "Servers that support completions declare the capability; this one does not.",
    page: `${SPEC}/2025-06-18/server/utilities/completion#capabilities`,
  },
  {
    scenario: "resources-subscribe",
    servers: "mcp-lite",
    referee: "fails the method, and resources/unsubscribe",
    checker: "finds both not applicable, and notes the code -32603 (`subscribe-undeclared-refused`)",
    rule: "Subscriptions are optional, and this server does not declare them.",
    page: `${SPEC}/2025-06-18/server/resources#capabilities`,
  },
  {
    scenario: "server-sse-polling",
    servers: "fastmcp without sessions",
    referee: "warns that there is no session id",
    checker: "finds the checks of sessions not applicable",
    rule: "A server may assign a session id.",
    page: `${SPEC}/2025-11-25/basic/transports#session-management`,
  },
  {
    scenario: "server-stateless",
    servers: "tmcp",
    referee: "fails -32020 for a request without metadata",
    checker: "passes -32020 beside -32602 (`meta-without-revision`)",
    rule: "A missing field is -32602. A header that does not match the body is -32020, and here both are the case.",
    page: `${SPEC}/2026-07-28/basic/transports/streamable-http#server-validation`,
  },
  {
    scenario: "http-header-validation",
    servers: "official v2",
    referee: "does not send it",
    checker: "fails a raw Mcp-Name outside ASCII (`header-name-not-ascii`)",
    rule: "A header value with invalid characters fails the validation.",
    page: `${SPEC}/2026-07-28/basic/transports/streamable-http#server-validation`,
  },
  {
    scenario: "sep-2164-resource-not-found",
    servers: "tmcp",
    referee: "warns of an error without data.uri",
    checker: "fails `resource-unknown-names-uri`, a note",
    rule: "The example shows data.uri. No sentence asks for it.",
    page: `${SPEC}/2026-07-28/server/resources#error-handling`,
  },
];

/** The referee on the planted faults of `mutants/`, in scenarios that the scripted server passes without a fault. */
export interface RefereeOnMutants {
  readonly scenario: string;
  /** Faults that both find, by check. */
  readonly both: readonly string[];
  /** Faults that the checker alone finds. */
  readonly checkerAlone: readonly string[];
  /** Why the referee does not see them. */
  readonly because?: string;
}

function faults(scenario: string, both: string, checkerAlone = "", because?: string): RefereeOnMutants {
  const names = (text: string) => (text === "" ? [] : text.split(" "));
  return {
    scenario,
    both: names(both),
    checkerAlone: names(checkerAlone),
    ...(because === undefined ? {} : { because }),
  };
}

export const REFEREE_ON_MUTANTS: readonly RefereeOnMutants[] = [
  faults(
    "server-initialize",
    "initialize-server-info session-id-characters",
    "initialize-capabilities initialize-revision",
    "It makes one handshake, and these faults are in later ones.",
  ),
  faults(
    "server-session-lifecycle",
    "session-delete session-ended session-unknown-post",
    "session-kept",
    "The fault is in one request of the checker.",
  ),
  faults(
    "server-stateless",
    "discover-capabilities discover-json discover-server-info discover-versions-listed listen-acknowledged-first listen-stream meta-absent meta-client-info-optional meta-without-capabilities meta-without-capabilities-status meta-without-revision meta-without-revision-status removed-initialize removed-logging-setlevel removed-ping removed-resources-subscribe removed-resources-unsubscribe unknown-revision-consistent unknown-revision-refused unknown-revision-requested unknown-revision-status unknown-revision-supported",
    "discover-instructions discover-versions-strings listen-empty-filter listen-filter-announced listen-filter-missing listen-filter-narrow listen-filter-present listen-id-number listen-id-string listen-stays-open listen-two-at-once log-opt-in meta-capabilities-type meta-client-info-ignored meta-client-info-type meta-foreign-keys meta-key-names meta-log-level-invalid meta-no-memory meta-trace-context meta-unknown-capabilities round-undeclared-error unknown-revision-not-served",
    "It sends no such request, or calls the tools of its fixture for it.",
  ),
  faults("logging-set-level", "log-set-level"),
  faults("ping", "ping-answered"),
  faults(
    "tools-list",
    "tools-input-schema tools-list-order tools-list-shape",
    "tools-list-names tools-list-unique tools-name-characters",
    "It reads the first page alone, or does not compare this.",
  ),
  faults(
    "resources-list",
    "resources-list-shape",
    "resources-list-names resources-list-unique resources-uris",
    "It reads the first page alone, or does not compare this.",
  ),
  faults(
    "prompts-list",
    "prompts-arguments prompts-list-shape",
    "prompts-list-names prompts-list-unique",
    "It reads the first page alone, or does not compare this.",
  ),
  faults("resources-subscribe", "resource-subscribe"),
  faults("resources-unsubscribe", "resource-unsubscribe"),
  faults(
    "sep-2164-resource-not-found",
    "",
    "resource-unknown resource-unknown-names-uri",
    "The faults are in the answers to the URI of the checker.",
  ),
  faults(
    "dns-rebinding-protection",
    "",
    "foreign-host foreign-origin-post",
    "It sends a foreign Host together with a foreign Origin, and one guard is enough to refuse both.",
  ),
  faults(
    "caching",
    "cache-hints-prompts-list cache-hints-resources-list cache-hints-resources-read cache-hints-resources-templates-list cache-hints-tools-list cache-scope cache-ttl",
    "cache-hints-elsewhere cache-hints-server-discover",
    "It does not look at these methods.",
  ),
  faults(
    "http-header-validation",
    "header-method-case header-method-differs header-method-missing header-mismatch-status header-name-differs header-name-missing-tool",
    "header-name-base64 header-name-broken-base64 header-name-marker-case header-name-missing-prompt header-name-missing-resource header-name-not-ascii header-names-any-case header-space-around",
    "It sends tools/call alone, with plain names. The faults of case and space do not exist over sockets.",
  ),
  faults(
    "http-custom-header-server-validation",
    "header-param-base64 header-param-missing",
    "header-param-absent header-param-differs header-param-served",
    "It sends no header of another value without Base64, no null, and no call in its right form.",
  ),
  faults(
    "server-sse-multiple-streams",
    "",
    "answers-on-own-response tool-calls-at-once",
    "It sends three lists at once and looks at the status of each. The faults are in calls.",
  ),
  faults(
    "sep-2640-skills-directory",
    "skills-directory skills-directory-file skills-directory-type",
    "skills-directory-unknown",
    "It asks for the URI of a file, and for no URI of nothing.",
  ),
  faults(
    "sep-2640-skills-enumeration",
    "skills-entry-frontmatter skills-entry-name skills-entry-resources skills-file-digests skills-file-sizes skills-files-complete skills-get skills-get-cache-hints skills-get-unknown skills-limits skills-list-cache-hints skills-list-once skills-resources-declared",
    "skills-get-file skills-list-shape skills-settings",
    "It takes a list that is no array for an empty one, and a directoryRead that is no boolean for none. It gets no URI of a file.",
  ),
  faults(
    "sep-2640-skills-manifest",
    "skills-manifest-name skills-manifest-type skills-resource-names",
    "skills-manifest-digest",
    "It compares no digests.",
  ),
  faults(
    "input-required-result-unsupported-methods",
    "",
    "result-type-known",
    "It looks for input_required alone, and the fault is another type.",
  ),
];
