/**
 * Servers of other implementations, and exactly what `parley-check` finds wrong with them. A finding that is not listed fails the
 * test, and so does one that is listed and no longer occurs. Findings that a departure of `departures.ts` describes name it.
 */
import type { ServerPeer } from "../server-peer.js";
import { fastMcp } from "../servers/fastmcp.js";
import { mcpLite } from "../servers/mcp-lite.js";
import { officialV1 } from "../servers/official-v1.js";
import { officialV2 } from "../servers/official-v2.js";
import { tmcp } from "../servers/tmcp.js";

export interface KnownFinding {
  /** What the server does. */
  readonly reason: string;
  /** Checks that see it. */
  readonly checks: readonly string[];
  /** All revisions of the server that are checked, unless given. */
  readonly revisions?: readonly string[];
  /** The same in `departures.ts`. */
  readonly departure?: string;
}

export interface CheckedServer {
  readonly peer: ServerPeer;
  readonly mode: string;
  /** The revisions that are checked: the newest of each era. */
  readonly revisions: readonly string[];
  /** Areas, where the whole would take too long: fastmcp takes a second for each session. */
  readonly only?: readonly string[];
  readonly findings: readonly KnownFinding[];
}

export const checkedServers: readonly CheckedServer[] = [
  {
    peer: officialV1,
    mode: "HTTP stateful",
    revisions: ["2025-11-25"],
    findings: [
      {
        reason: "Neither Origin nor Host is compared with anything unless the application asks for it.",
        checks: ["foreign-origin-post", "foreign-origin-get", "foreign-origin-delete", "foreign-host"],
      },
      {
        reason: "JSON that is no message is refused with -32700, the code for text that is no JSON.",
        checks: ["frame-object", "frame-scalar", "frame-without-version"],
      },
      {
        reason: "A batch is served in revisions that have none.",
        checks: ["batch-gone"],
      },
      {
        reason: "Lists have one page, and the cursor is not read.",
        checks: [
          "tools-cursor-unknown",
          "resources-cursor-unknown",
          "templates-cursor-unknown",
          "prompts-cursor-unknown",
        ],
      },
      {
        reason: "Malformed params are refused with -32603, and the message is the report of the validator.",
        checks: [
          "tools-cursor-type",
          "resources-cursor-type",
          "templates-cursor-type",
          "prompts-cursor-type",
          "completion-without-ref",
          "completion-without-argument",
          "log-level-unknown",
        ],
      },
      {
        reason: "An unknown tool is answered with a result that has isError.",
        checks: ["tool-unknown"],
        departure: "unknown-tool-as-a-result",
      },
      {
        reason: "A call with `task` is refused although the server declares no tasks, and should ignore the param.",
        checks: ["tool-task-param-ignored"],
      },
      {
        reason:
          "A form is sent to a client that does not declare forms: capabilities are compared in strict mode alone.",
        checks: ["question-undeclared-form", "question-mode-form"],
      },
      {
        reason: "The tool of this repository's definition reports progress without looking for a token.",
        checks: ["progress-unasked"],
      },
      {
        reason: "An unknown resource is -32602.",
        checks: ["resource-unknown-legacy"],
        departure: "resource-not-found-code",
      },
      {
        reason: "The error for an unknown resource has no data.",
        checks: ["resource-unknown-names-uri"],
      },
    ],
  },
  {
    peer: officialV1,
    mode: "HTTP+SSE",
    revisions: ["2024-11-05"],
    findings: [
      {
        reason: "Neither Origin nor Host is compared with anything unless the application asks for it.",
        checks: ["sse-foreign-origin-get", "sse-foreign-origin-post", "sse-foreign-host"],
      },
      {
        reason: "Lists have one page, and the cursor is not read.",
        checks: [
          "tools-cursor-unknown",
          "resources-cursor-unknown",
          "templates-cursor-unknown",
          "prompts-cursor-unknown",
        ],
      },
      {
        reason: "Malformed params are refused with -32603, and the message is the report of the validator.",
        checks: [
          "tools-cursor-type",
          "resources-cursor-type",
          "templates-cursor-type",
          "prompts-cursor-type",
          "completion-without-ref",
          "completion-without-argument",
          "log-level-unknown",
        ],
      },
      {
        reason: "An unknown tool is answered with a result that has isError.",
        checks: ["tool-unknown"],
        departure: "unknown-tool-as-a-result",
      },
      {
        reason: "The tool of this repository's definition reports progress without looking for a token.",
        checks: ["progress-unasked"],
      },
      {
        reason: "An unknown resource is -32602.",
        checks: ["resource-unknown-legacy"],
        departure: "resource-not-found-code",
      },
      {
        reason: "The error for an unknown resource has no data.",
        checks: ["resource-unknown-names-uri"],
      },
    ],
  },
  {
    peer: officialV2,
    mode: "HTTP stateless",
    revisions: ["2025-11-25", "2026-07-28"],
    findings: [
      {
        reason: "Neither Origin nor Host is compared with anything unless the application asks for it.",
        checks: ["foreign-origin-post", "foreign-host"],
      },
      {
        reason: "A batch is served in revisions that have none.",
        checks: ["batch-gone"],
        revisions: ["2025-11-25"],
      },
      {
        reason: "Lists have one page, and the cursor is not read.",
        checks: [
          "tools-cursor-unknown",
          "resources-cursor-unknown",
          "templates-cursor-unknown",
          "prompts-cursor-unknown",
        ],
      },
      {
        reason: "Malformed params are refused with -32603, and the message is the report of the validator.",
        checks: [
          "tools-cursor-type",
          "resources-cursor-type",
          "templates-cursor-type",
          "prompts-cursor-type",
          "completion-without-ref",
          "completion-without-argument",
        ],
      },
      {
        reason: "The tool of this repository's definition reports progress without looking for a token.",
        checks: ["progress-unasked"],
      },
      {
        reason: "An unknown resource is -32602.",
        checks: ["resource-unknown-legacy"],
        revisions: ["2025-11-25"],
        departure: "resource-not-found-code",
      },
      {
        reason: "Malformed params are refused with -32603, and the message is the report of the validator.",
        checks: ["log-level-unknown"],
        revisions: ["2025-11-25"],
      },
      {
        reason: "An Mcp-Name with characters outside ASCII is compared in place of being refused.",
        checks: ["header-name-not-ascii"],
        revisions: ["2026-07-28"],
      },
      {
        reason: "The Accept header is not read.",
        checks: ["narrow-accept"],
        revisions: ["2026-07-28"],
      },
    ],
  },
  {
    peer: tmcp,
    mode: "HTTP stateful",
    revisions: ["2025-06-18", "2026-07-28"],
    findings: [
      {
        reason: "Neither Origin nor Host is compared with anything unless the application asks for it.",
        checks: ["foreign-origin-post", "foreign-host"],
      },
      {
        reason: "Neither Origin nor Host is compared with anything unless the application asks for it.",
        checks: ["foreign-origin-get", "foreign-origin-delete"],
        revisions: ["2025-06-18"],
      },
      {
        reason: "The Accept header is not read.",
        checks: ["narrow-accept"],
      },
      {
        reason: "A request without a session is given a new one.",
        checks: ["session-required", "session-only-on-initialize"],
        revisions: ["2025-06-18"],
      },
      {
        reason: "Session ids are not remembered: DELETE changes nothing, and any id is served.",
        checks: ["session-unknown-post", "session-unknown-get", "session-unknown-delete"],
        revisions: ["2025-06-18"],
      },
      {
        reason: "Session ids are not remembered: DELETE changes nothing, and any id is served.",
        checks: ["session-ended"],
        revisions: ["2025-06-18"],
        departure: "deleted-session-lives-on",
      },
      {
        reason: "The MCP-Protocol-Version header is not read in the legacy era.",
        checks: ["version-header-unknown"],
        revisions: ["2025-06-18"],
      },
      {
        reason: "The Accept header is not read.",
        checks: ["stream-get-accept"],
        revisions: ["2025-06-18"],
      },
      {
        reason: "Params that are an array are served.",
        checks: ["params-list"],
        revisions: ["2025-06-18"],
      },
      {
        reason: "A cursor that the server did not make is read as an offset or ignored.",
        checks: [
          "tools-cursor-unknown",
          "resources-cursor-unknown",
          "templates-cursor-unknown",
          "prompts-cursor-unknown",
        ],
      },
      {
        reason: "The type of a cursor is not checked: it is ignored or fails with -32603.",
        checks: ["tools-cursor-type", "resources-cursor-type", "templates-cursor-type", "prompts-cursor-type"],
      },
      {
        reason: "An unknown tool is answered with a result that has isError.",
        checks: ["tool-unknown"],
        departure: "unknown-tool-as-a-result",
      },
      {
        reason: "An unknown resource is -32602.",
        checks: ["resource-unknown-legacy"],
        revisions: ["2025-06-18"],
        departure: "resource-not-found-code",
      },
      {
        reason: "The error for an unknown resource has no data.",
        checks: ["resource-unknown-names-uri"],
      },
      {
        reason: "A completion that finds nothing has the result null.",
        checks: ["completion-unknown-prompt", "completion-unknown-template"],
      },
      {
        reason: "Params are used unchecked: a missing member is a TypeError, and so -32603.",
        checks: ["completion-without-ref", "completion-without-argument"],
      },
      {
        reason: "Any text is taken as a log level.",
        checks: ["log-level-unknown"],
        revisions: ["2025-06-18"],
      },
      {
        reason: "A completion that finds nothing has the result null.",
        checks: ["answers-result-object"],
        revisions: ["2025-06-18"],
      },
      {
        reason: "Refusals for missing metadata and capabilities have status 200.",
        checks: ["meta-without-capabilities-status", "round-undeclared-status"],
        revisions: ["2026-07-28"],
      },
    ],
  },
  {
    peer: mcpLite,
    mode: "HTTP stateful",
    revisions: ["2025-06-18"],
    findings: [
      {
        reason: "A client of an unknown revision is offered the oldest one.",
        checks: ["initialize-newest-revision"],
        departure: "oldest-revision-offered",
      },
      {
        reason: "The params of initialize are not checked.",
        checks: ["initialize-without-capabilities", "initialize-without-clientinfo"],
      },
      {
        reason: "Neither Origin nor Host is compared with anything unless the application asks for it.",
        checks: ["foreign-origin-post", "foreign-origin-get", "foreign-origin-delete", "foreign-host"],
      },
      {
        reason: "The Content-Type header is not read.",
        checks: ["wrong-content-type"],
      },
      {
        reason: "The Accept header is not read.",
        checks: ["narrow-accept"],
      },
      {
        reason: "Session ids are not remembered: DELETE changes nothing, and any id is served.",
        checks: ["session-unknown-post", "session-unknown-delete"],
      },
      {
        reason: "A GET with an unknown session is 400.",
        checks: ["session-unknown-get"],
      },
      {
        reason: "Session ids are not remembered: DELETE changes nothing, and any id is served.",
        checks: ["session-ended"],
        departure: "deleted-session-lives-on",
      },
      {
        reason: "A request of a session without MCP-Protocol-Version is refused.",
        checks: ["version-header-absent"],
      },
      {
        reason: "Params that are an array are served.",
        checks: ["params-list"],
      },
      {
        reason: "Methods that are not implemented are -32603, and logging/setLevel is served without the capability.",
        checks: ["completions-undeclared-refused", "logging-undeclared-refused", "subscribe-undeclared-refused"],
      },
      {
        reason: "Lists have one page, and the cursor is not read.",
        checks: [
          "tools-cursor-unknown",
          "tools-cursor-type",
          "resources-cursor-unknown",
          "resources-cursor-type",
          "templates-cursor-unknown",
          "templates-cursor-type",
          "prompts-cursor-unknown",
          "prompts-cursor-type",
        ],
      },
      {
        reason: "An unknown tool is -32601.",
        checks: ["tool-unknown"],
      },
      {
        reason: "An unknown resource is -32601.",
        checks: ["resource-unknown-legacy"],
        departure: "resource-not-found-code",
      },
    ],
  },
  {
    peer: fastMcp,
    mode: "HTTP stateless",
    revisions: ["2025-11-25"],
    only: ["lists", "tools", "resources", "prompts", "capabilities"],
    findings: [
      {
        reason: "Lists have one page, and the cursor is not read.",
        checks: [
          "tools-cursor-unknown",
          "resources-cursor-unknown",
          "templates-cursor-unknown",
          "prompts-cursor-unknown",
        ],
      },
      {
        reason: "Malformed params are refused with -32603, and the message is the report of the validator.",
        checks: [
          "tools-cursor-type",
          "resources-cursor-type",
          "templates-cursor-type",
          "prompts-cursor-type",
          "completion-without-ref",
          "completion-without-argument",
        ],
      },
      {
        reason: "An unknown tool is -32601.",
        checks: ["tool-unknown"],
      },
      {
        reason: "Arguments that do not fit are a protocol error and not the result of a failed tool.",
        checks: ["tool-invalid-arguments"],
      },
      {
        reason: "A call with `task` is refused although the server declares no tasks, and should ignore the param.",
        checks: ["tool-task-param-ignored"],
      },
      {
        reason: "Structured content has no text beside it unless the tool returns one.",
        checks: ["tool-structured-mirrored"],
      },
      {
        reason: "An unknown resource is -32601.",
        checks: ["resource-unknown-legacy"],
        departure: "resource-not-found-code",
      },
      {
        reason: "The error for an unknown resource has no data.",
        checks: ["resource-unknown-names-uri"],
      },
      {
        reason: "A missing argument of a prompt is -32600, an unknown prompt -32601.",
        checks: ["prompt-unknown", "prompt-argument-missing"],
      },
      {
        reason: "A reference that names nothing is -32603.",
        checks: ["completion-unknown-prompt", "completion-unknown-template"],
      },
    ],
  },
];
