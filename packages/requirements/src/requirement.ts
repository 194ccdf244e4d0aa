/** What one entry of the manifest says. Data only: nothing here knows an implementation. */

/** Every protocol revision, oldest first. They are dates, so they compare as strings. */
export const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof REVISIONS)[number];
export const NEWEST_REVISION: Revision = "2026-07-28";

/** The ways a client and a server can be joined in the interaction suite. */
export const CONNECTIONS = ["direct", "json-rpc"] as const;
export type Connection = (typeof CONNECTIONS)[number];

/** Why a requirement is not run over every connection. */
export type RestrictionReason =
  /** It is about the ids and frames of JSON-RPC, which a direct connection does not have. */
  | "json-rpc-frames"
  /** One side is played message by message, which needs messages. */
  | "scripted-peer"
  /** Nothing crosses a connection: it is about registering or constructing. */
  | "no-connection";

export interface Restriction {
  readonly connections: readonly Connection[];
  readonly because: RestrictionReason;
}

export const FRAMES: Restriction = { connections: ["json-rpc"], because: "json-rpc-frames" };
export const SCRIPTED: Restriction = { connections: ["json-rpc"], because: "scripted-peer" };
export const LOCAL: Restriction = { connections: [], because: "no-connection" };

/** `decision` names a section of docs/decisions.md: a choice made where the specification is silent. */
export type Source = string | { readonly decision: string };

/** How strongly the source asks for it; `decision` where the source is a choice of ours. */
export type Strength = "must" | "should" | "may" | "decision";

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
  /** A known gap: the source asks for the behavior and this implementation does not have it yet. */
  readonly divergence?: { readonly note: string };
}

export type Requirements = Readonly<Record<string, Requirement>>;
