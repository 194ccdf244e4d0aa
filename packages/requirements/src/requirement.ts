/** What one entry of the manifest says. Data only: nothing here knows an implementation. */

/** Every protocol revision, oldest first. They are dates, so they compare as strings. */
export const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof REVISIONS)[number];
export const NEWEST_REVISION: Revision = "2026-07-28";

/** The ways a client and a server can be joined in the interaction suite. */
export const CONNECTIONS = [
  /** In process, without serializing. */
  "direct",
  /** In process, as JSON-RPC text. */
  "json-rpc",
  /** Lines over a pair of byte streams, as over standard input and output. */
  "stdio",
  /** Streamable HTTP on Node over a socket, with sessions in the legacy era. */
  "http",
  /** The same without sessions. */
  "http-stateless",
  /** The same with sessions, and answers as plain JSON alone. */
  "http-json",
  /** The same at three endpoints that share the sessions of the legacy era, every request at another one than the one before. */
  "http-replicas",
  /** Streamable HTTP by a web-standard handler. */
  "fetch",
  /** The HTTP+SSE transport of 2024-11-05. */
  "sse",
] as const;
export type Connection = (typeof CONNECTIONS)[number];

/** The revisions that a connection differs in from others, or exists in at all. */
export const REVISIONS_OVER: Readonly<Record<Connection, readonly Revision[]>> = {
  direct: REVISIONS,
  "json-rpc": REVISIONS,
  stdio: REVISIONS,
  http: ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
  "http-stateless": ["2025-03-26", "2025-06-18", "2025-11-25"],
  "http-json": ["2025-03-26", "2025-06-18", "2025-11-25"],
  "http-replicas": ["2025-03-26", "2025-11-25", "2026-07-28"],
  fetch: ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
  sse: ["2024-11-05"],
};

/** What a test of an entry relies on, besides requests and their answers. */
export type Need =
  /** Requests from the server to the client, as the legacy era has them. */
  | "server-requests"
  /** Notifications that belong to a request, before its answer. */
  | "notifications"
  /** What one request leaves behind for a later one, and what the server sends by itself. */
  | "session"
  /** A clock that the test turns by hand, which sockets and streams do not obey. */
  | "fake-clock"
  /** Both sides in one event loop turn, so that what happens between two steps is known. */
  | "lockstep"
  /** One pipe between the two sides, which either can close for both. */
  | "one-pipe"
  /** Names of any length, where HTTP repeats them in headers. */
  | "long-names"
  /** A limit of a connection that each process counts by itself. */
  | "one-process"
  /** Other revisions than the cell's beside it. */
  | "every-revision";

/** What no connection over HTTP has. */
const HTTP_LACKS: readonly Need[] = ["fake-clock", "lockstep", "one-pipe", "long-names"];

/** What each connection does not have. */
export const LACKS: Readonly<Record<Connection, readonly Need[]>> = {
  direct: [],
  "json-rpc": [],
  stdio: ["fake-clock", "lockstep"],
  http: HTTP_LACKS,
  "http-stateless": [...HTTP_LACKS, "server-requests", "session"],
  "http-json": [...HTTP_LACKS, "server-requests", "notifications"],
  "http-replicas": [...HTTP_LACKS, "one-process"],
  fetch: HTTP_LACKS,
  sse: [...HTTP_LACKS, "every-revision"],
};

/** Why a requirement is not run over every connection. */
export type RestrictionReason =
  /** It is about the ids and frames of JSON-RPC, which a direct connection does not have. */
  | "json-rpc-frames"
  /** One side is played message by message, which needs messages. */
  | "scripted-peer"
  /** The target of the connection is one that can be opened again. */
  | "reopened"
  /** It is about HTTP itself, and its test brings a server or a client of its own. */
  | "http-only"
  /** It is about standard streams, processes or sockets, and its test brings its own. */
  | "stdio-only"
  /** Its test brings a transport of its own, or goes without a client or a server. */
  | "own-transport"
  /** Nothing crosses a connection: it is about registering or constructing. */
  | "no-connection";

export interface Restriction {
  readonly connections: readonly Connection[];
  readonly because: RestrictionReason;
}

export const FRAMES: Restriction = { connections: ["json-rpc"], because: "json-rpc-frames" };
export const SCRIPTED: Restriction = { connections: ["json-rpc"], because: "scripted-peer" };
/** The test cuts the line and lays it anew. */
export const REOPENED: Restriction = { connections: ["stdio"], because: "reopened" };
export const OVER_HTTP: Restriction = { connections: [], because: "http-only" };
export const OVER_STDIO: Restriction = { connections: [], because: "stdio-only" };
export const OWN_TRANSPORT: Restriction = { connections: [], because: "own-transport" };
export const LOCAL: Restriction = { connections: [], because: "no-connection" };

/** `decision` names a section of docs/decisions.md: a choice made where the specification is silent. */
export type Source = string | { readonly decision: string };

/**
 * How strongly the source asks for it: by a key word of RFC 2119, or `stated`, where the section says so without that key word.
 * `decision` where the source is a choice of ours.
 */
export type Strength = "must" | "should" | "may" | "stated" | "decision";

export interface Requirement {
  /** One sentence: what a test of this entry asserts. */
  readonly behavior: string;
  /** The section that asks for it, in the newest revision that has it. */
  readonly source: Source;
  readonly strength: Strength;
  /** The first revision in which it holds; all of them without this. */
  readonly since?: Revision;
  /** The last revision in which it holds; still does without this. */
  readonly until?: Revision;
  readonly over?: Restriction;
  /** It is not run over connections that lack one of these. */
  readonly needs?: readonly Need[];
  /** A known gap: the source asks for the behavior and this implementation does not have it yet. */
  readonly divergence?: { readonly note: string };
}

export type Requirements = Readonly<Record<string, Requirement>>;
