/** A server that is measured over HTTP: what it can do, and where the module lies that starts it. */
import type { Role } from "../figure.js";
import type { Tool } from "../tools.js";
import type { ProofKey } from "./proofs.js";

/** `legacy stateless`: every POST stands alone. `legacy sessions`: every connection has a session of its own. */
export type HttpMode = "modern" | "legacy stateless" | "legacy sessions";

/** Starts to listen. */
export type Serve = (mode: HttpMode, tools: readonly Tool[]) => Promise<Listening>;

export interface Listening {
  readonly url: string;
  /** What every request has to carry. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The key of a bound token, with which every request is signed. */
  readonly proofKey?: ProofKey;
  close(): Promise<void>;
}

export interface HttpContender {
  readonly name: string;
  readonly role: Role;
  /** A floor that serves calls, and does not answer a constant. */
  readonly answersCalls?: boolean;
  /** Its tool runs as a task: a call takes a request that creates the task, and one for its result. */
  readonly callsTasks?: boolean;
  /** The others it cannot do. */
  readonly modes: readonly HttpMode[];
  /** What it answers, if that is not all that is measured. */
  readonly methods?: readonly string[];
  /** What a client has to accept to be answered in this server's fastest way. */
  readonly accept?: string;
  readonly note?: string;
  /** Loaded in the process of the server alone. */
  load(): Promise<{ readonly serve: Serve }>;
}
