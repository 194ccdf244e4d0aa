/** A client of any implementation as the checks see it. What an implementation lacks is absent, and its adapter says why. */
import type { Feature } from "./features.js";

export type Era = "legacy" | "modern";
export type Revision = "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28";

/** Where a server is reached. */
export type Endpoint =
  | { readonly kind: "http" | "sse"; readonly url: string }
  | { readonly kind: "stdio"; readonly command: string; readonly args: readonly string[] };

export interface ToolAnswer {
  /** All text of the result. */
  readonly text: string;
  readonly structured: unknown;
  readonly isError: boolean;
}

export interface PeerCallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: number) => void;
  /** Modern only: what the server may log while it serves the call. */
  readonly logLevel?: "debug";
}

export interface Page {
  readonly names: readonly string[];
  readonly nextCursor: string | undefined;
}

export interface Watched {
  readonly tools?: boolean;
  readonly resource?: string;
}

export interface PeerClient {
  /** The revision that both sides agreed on, where the implementation tells. */
  readonly revision: string | undefined;
  listTools(cursor?: string): Promise<Page>;
  callTool(name: string, args: Record<string, unknown>, options?: PeerCallOptions): Promise<ToolAnswer>;
  /** URIs. */
  listResources?(): Promise<readonly string[]>;
  /** The text of a resource. */
  readResource?(uri: string): Promise<string>;
  /** URI templates. */
  listTemplates?(): Promise<readonly string[]>;
  listPrompts?(): Promise<readonly string[]>;
  /** The text of the first message. */
  getPrompt?(name: string, args: Record<string, string>): Promise<string>;
  completePrompt?(name: string, argument: string, value: string): Promise<readonly string[]>;
  ping?(): Promise<void>;
  setLogLevel?(level: "debug"): Promise<void>;
  /** Has changes announced until the returned function is called. */
  watch?(what: Watched): Promise<() => Promise<void>>;
  /** Ends the connection as the implementation's users would, the session included. */
  close(): Promise<void>;
}

/** Hears every notification that is no answer to a call of its own. */
export type Hear = (method: string, params: unknown) => void;

/** What a client is to speak. */
export interface Wanted {
  readonly era: Era;
  /** To be asked for in place of the newest of the era. */
  readonly revision?: Revision | undefined;
  /** Roots are not to be declared: the server would work on them instead of on the folder that it was given. */
  readonly withoutRoots?: boolean | undefined;
}

export interface ClientPeer {
  readonly name: string;
  /** Whose version is printed; undefined for our own. */
  readonly packageName: string;
  /** What the implementation does not offer, and why. */
  readonly lacks: Partial<Record<Feature, string>>;
  /** Starts what takes longer than a connection may. */
  prepare?(): Promise<void>;
  connect(endpoint: Endpoint, wanted: Wanted, hear: Hear): Promise<PeerClient>;
}

/** What every client answers when a server asks. */
export const ANSWERS = {
  name: "Ada",
  sampled: "a line from the model",
  root: "file:///work",
} as const;

/** What a form asks for decides what is filled in, so that several questions can be told apart. */
export function fillIn(requestedSchema: unknown): Record<string, string> {
  const properties =
    isRecord(requestedSchema) && isRecord(requestedSchema.properties) ? requestedSchema.properties : {};
  return "color" in properties ? { color: "green" } : { name: ANSWERS.name };
}

/** The parts of a tool's result that the checks look at, whatever types the implementation gives them. */
export function toolAnswer(result: unknown): ToolAnswer {
  const { content, structuredContent, isError } = isRecord(result) ? result : {};
  return { text: textOf(content), structured: structuredContent, isError: isError === true };
}

/** All text in a list of content blocks or resource contents. */
export function textOf(blocks: unknown): string {
  if (!Array.isArray(blocks)) return "";
  return blocks.map((block: unknown) => (isRecord(block) && typeof block.text === "string" ? block.text : "")).join("");
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
