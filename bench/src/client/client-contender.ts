/** A client that is measured over HTTP, and where the module lies that connects it. */
import type { Era, Session } from "../contender.js";
import type { Role } from "../figure.js";

/** Opens the connection and lists the tools, so that results are checked where the client does that. */
export type Connect = (url: string, era: Era) => Promise<Session>;

export interface ClientContender {
  readonly name: string;
  readonly role: Role;
  /** The other it cannot do. */
  readonly eras: readonly Era[];
  readonly note?: string;
  /** Loaded in the process of the client alone. */
  load(): Promise<{ readonly connect: Connect }>;
}
