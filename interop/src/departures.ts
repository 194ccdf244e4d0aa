/**
 * Where peers depart from the specification. Each cell that a departure spoils is named; the complaint of its check must be
 * the one given here; and one that no longer occurs fails the run, so that this list cannot rot. The wire logs are in
 * docs/interop.md.
 */
import type { Feature } from "./features.js";

export interface Departure {
  readonly id: string;
  /** What the peer does. */
  readonly what: string;
  /** What the specification says, in our words. */
  readonly rule: string;
  /** How strongly it says so. */
  readonly strength: "MUST" | "SHOULD" | "described";
  /** The page that says so. */
  readonly page: string;
  /** What the check complains of when the departure strikes. */
  readonly complaint: RegExp;
  /** What passes over the wire during the check when the departure strikes: a fault of ours may lead to the same complaint. */
  readonly wire: RegExp;
  readonly occurs: readonly {
    readonly client?: string;
    readonly server?: string;
    /** All of the server's modes unless given. */
    readonly modes?: readonly string[];
    readonly features: readonly Feature[];
  }[];
}

const LEGACY_MODES = ["stdio", "HTTP stateful", "HTTP stateless", "HTTP JSON", "HTTP+SSE"] as const;

export const departures: readonly Departure[] = [
  {
    id: "progress-lost-beside-the-answer",
    what: "Progress that arrives in one piece with the answer is dropped: the answer is taken first.",
    rule: "Who sends a progress token wants the reports, and they come before the response.",
    strength: "described",
    page: "2025-11-25/basic/utilities/progress#progress-flow",
    complaint: /progress reports: expected \[1,2,3,4\], got \[\]/,
    wire: /(?:notifications\/progress[\s\S]*){4}"result"/,
    occurs: [
      { client: "official v1", modes: ["stdio", "HTTP+SSE"], features: ["progress in one burst"] },
      { client: "official v2", modes: ["stdio", "HTTP+SSE", "modern stdio"], features: ["progress in one burst"] },
    ],
  },
  {
    id: "resource-not-found-rewritten",
    what: "The client shows its application -32602 where the server has answered -32002.",
    rule: "A resource that does not exist is answered with -32002.",
    strength: "SHOULD",
    page: "2025-11-25/server/resources#error-handling",
    complaint: /refusal: expected -32002, got -32602/,
    wire: /"code":-32002/,
    occurs: [
      { client: "official v2", server: "Parley", modes: LEGACY_MODES, features: ["unknown resource"] },
      { client: "OpenAI Agents", server: "Parley", modes: LEGACY_MODES, features: ["unknown resource"] },
    ],
  },
  {
    id: "abandoned-calls",
    what: "A call that is aborted is only forgotten: the server is never told, and works on.",
    rule: "Who wants to cancel a request sends notifications/cancelled; closing the connection does not cancel.",
    strength: "SHOULD",
    page: "2025-11-25/basic/transports#sending-messages-to-the-server",
    complaint: /the handler was never told of the cancellation/,
    wire: /^(?![\s\S]*notifications\/cancelled)/,
    occurs: [
      { client: "AI SDK", modes: ["stdio", "HTTP stateful", "HTTP JSON", "HTTP+SSE"], features: ["cancellation"] },
    ],
  },
  {
    id: "unknown-tool-as-a-result",
    what: "A call of a tool that does not exist is answered with the result of a failed tool.",
    rule: "Unknown tools are protocol errors, not results.",
    strength: "described",
    page: "2025-11-25/server/tools#error-handling",
    complaint: /expected a JSON-RPC error, got \{"answered".*"isError":true/,
    wire: /"isError":true/,
    occurs: [
      { server: "official v1", features: ["unknown tool"] },
      { server: "everything", features: ["unknown tool"] },
      { server: "tmcp", features: ["unknown tool"] },
      { server: "filesystem", features: ["unknown tool"] },
      { server: "memory", features: ["unknown tool"] },
      { server: "git", features: ["unknown tool"] },
      { server: "Playwright", features: ["unknown tool"] },
    ],
  },
  {
    id: "resource-not-found-code",
    what: "A resource that does not exist is answered with -32602 or -32601.",
    rule: "A resource that does not exist is answered with -32002.",
    strength: "SHOULD",
    page: "2025-11-25/server/resources#error-handling",
    complaint: /refusal: expected -32002, got -3260[12]/,
    wire: /"code":-3260[12]/,
    occurs: [
      { server: "official v1", features: ["unknown resource"] },
      { server: "official v2", modes: LEGACY_MODES, features: ["unknown resource"] },
      { server: "everything", features: ["unknown resource"] },
      { server: "fastmcp", features: ["unknown resource"] },
      { server: "tmcp", modes: LEGACY_MODES, features: ["unknown resource"] },
      { server: "mcp-lite", features: ["unknown resource"] },
    ],
  },
  {
    id: "deleted-session-answered-400",
    what: "A request in a session that was deleted is answered with 400, so that no client knows to begin a new one.",
    rule: "Requests with the id of a session that has ended are answered with 404.",
    strength: "MUST",
    page: "2025-11-25/basic/transports#session-management",
    complaint: /No valid session ID provided|expected 404, got 400/,
    wire: /\b400\b/,
    occurs: [{ server: "everything", modes: ["HTTP stateful"], features: ["session forgotten", "session deletion"] }],
  },
  {
    id: "deleted-session-lives-on",
    what: "DELETE is answered with 200, and requests in that session are served as before.",
    rule: "Requests with the id of a session that has ended are answered with 404.",
    strength: "MUST",
    page: "2025-06-18/basic/transports#session-management",
    complaint: /no new session was begun|expected 404, got 200/,
    wire: /\bDELETE\b/,
    occurs: [
      { server: "tmcp", modes: ["HTTP stateful"], features: ["session forgotten", "session deletion"] },
      {
        server: "mcp-lite",
        modes: ["HTTP stateful", "HTTP stateful, newer client"],
        features: ["session forgotten", "session deletion"],
      },
    ],
  },
  {
    id: "replay-of-other-streams",
    what: "A stream that is resumed gets what belongs to all other streams of the session, and what is no message at all.",
    rule: "What would have been delivered on another stream is not replayed.",
    strength: "MUST",
    page: "2025-11-25/basic/transports#resumability-and-redelivery",
    // What arrives twice, and whether the answer arrives at all, depends on when the streams come back.
    complaint: /progress reports: expected|nothing came of it/,
    wire: /last-event-id[\s\S]*^data: \{\}$/m,
    occurs: [{ server: "everything", modes: ["HTTP stateful"], features: ["resumption"] }],
  },
  {
    id: "undeclared-list-changes",
    what: "Changes of the list of tools are announced, but tools.listChanged is not declared, so nobody listens.",
    rule: "Servers that announce changes of their tools declare the listChanged capability.",
    strength: "described",
    page: "2025-11-25/server/tools#capabilities",
    complaint: /notifications\/tools\/list_changed never arrived/,
    wire: /notifications\/tools\/list_changed/,
    occurs: [{ server: "fastmcp", modes: ["stdio", "HTTP stateful", "HTTP+SSE"], features: ["list changes"] }],
  },
  {
    id: "cancellation-unheard",
    what: "notifications/cancelled has no effect; in the legacy era nothing is read at all while a request is served.",
    rule: "Who is told of a cancellation stops working on the request.",
    strength: "SHOULD",
    page: "2025-06-18/basic/utilities/cancellation#behavior-requirements",
    complaint: /the handler was never told of the cancellation|the call was never begun/,
    wire: /notifications\/cancelled|"tools\/call"(?![\s\S]*"(?:result|error)")/,
    occurs: [{ server: "tmcp", modes: ["stdio", "modern stdio"], features: ["cancellation"] }],
  },
  {
    id: "oldest-revision-offered",
    what: "A client that asks for a revision unknown to the server is offered 2025-03-26, not 2025-06-18.",
    rule: "The server offers the latest revision that it supports.",
    strength: "SHOULD",
    page: "2025-06-18/basic/lifecycle#version-negotiation",
    complaint: /the revision agreed on: expected "2025-06-18", got "2025-03-26"/,
    wire: /"protocolVersion":"2025-03-26"/,
    occurs: [{ server: "mcp-lite", modes: ["HTTP stateful, newer client"], features: ["connect"] }],
  },
  {
    id: "stream-refused-by-revision",
    what: "In a session of 2025-03-26 the stream for announcements is refused with 400, since the revision is not 2025-06-18.",
    rule: "A GET is answered with an event stream or with 405.",
    strength: "MUST",
    page: "2025-06-18/basic/transports#listening-for-messages-from-the-server",
    complaint: /notifications\/tools\/list_changed never arrived/,
    wire: /^(?![\s\S]*notifications\/tools\/list_changed)/,
    occurs: [{ server: "mcp-lite", modes: ["HTTP stateful, newer client"], features: ["list changes"] }],
  },
];
