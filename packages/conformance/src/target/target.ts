/** A server under check, and one conversation with it. `url-target.ts`, `sse-target.ts` and `stdio-target.ts` implement both. */
import type { Revision } from "parley-requirements";
import type { HttpExchangeRequest } from "../wire/http-exchange.js";
import type { JsonObject } from "../wire/json-rpc.js";
import type { Answer } from "./answer.js";

/** `http` is Streamable HTTP, `sse` the HTTP+SSE of 2024-11-05. */
export type TargetKind = "http" | "sse" | "stdio";

export interface AskOptions {
  /** The id of the request. Default: the next number. */
  readonly id?: unknown;
  /** Changes to the `_meta` that every modern request carries. `undefined` removes a key, `null` removes `_meta`. */
  readonly meta?: JsonObject | null;
  /** Changes to the HTTP headers. `undefined` removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Reading stops at a message for which this returns true. Default: at the response. */
  readonly until?: (message: unknown) => boolean;
  /** Reading stops when this is aborted. */
  readonly stop?: AbortSignal;
  readonly timeoutMs?: number;
}

/** One conversation in one revision. No method rejects. */
export interface Peer {
  readonly revision: Revision;
  readonly kind: TargetKind;
  /** The answer to `initialize`, for a peer that was opened with a handshake. */
  readonly opening: Answer | undefined;
  /** The conversation cannot go on: the program has exited, or the session has been ended. */
  readonly isOver: boolean;
  readonly sessionId: string | undefined;
  request(method: string, params?: JsonObject, options?: AskOptions): Promise<Answer>;
  /** Over stdio nothing is waited for. */
  notify(method: string, params?: JsonObject, options?: AskOptions): Promise<Answer>;
  /** Answers a request of the server. Over stdio nothing is waited for. */
  respond(response: JsonObject): Promise<Answer>;
  /** Sends a text that need not be JSON-RPC, and waits for an answer without an id, or with that of the options. */
  send(text: string, options?: AskOptions): Promise<Answer>;
  /** Sends an HTTP request with the headers of this conversation. Over stdio the answer is a problem. */
  http(call: Partial<HttpExchangeRequest>, options?: AskOptions): Promise<Answer>;
  /** Ends the server's input and waits for the program to exit. Over HTTP the answer is a problem. */
  hangUp(timeoutMs: number): Promise<Answer>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Whether a legacy conversation begins with `initialize`. Default: true. */
  readonly handshake?: boolean;
  /** Params of `initialize` in place of the usual ones. */
  readonly initialize?: JsonObject;
}

export interface Target {
  readonly kind: TargetKind;
  /** The URL or the command, for the report. */
  readonly name: string;
  open(revision: Revision, options?: OpenOptions): Promise<Peer>;
}
