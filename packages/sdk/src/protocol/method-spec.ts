/** What the tables say about one method. */
import type { Revision } from "./revisions.js";
import type { ResultItems } from "./salvage.js";
import type { Shape } from "./shape.js";

/** Who sends a message. */
export type Sender = "client" | "server";

/** In which revisions a row holds. */
interface Span {
  readonly since: Revision;
  /** The last revision that has it; absent where the latest does. */
  readonly until?: Revision;
}

/** One request as the revisions of its row have it. */
export interface RequestSpec extends Span {
  readonly method: string;
  readonly sender: Sender;
  /** What the receiver must have declared, as a dotted path into its capabilities. */
  readonly capability?: string;
  /** Whether a modern result carries cache hints. */
  readonly cacheable: boolean;
  /** Whether a modern result may be an `InputRequiredResult` instead, which `result` does not describe. */
  readonly mayRequireInput: boolean;
  /** Takes the params as they arrived, undefined where there were none. */
  readonly params: Shape;
  /** The finished result. */
  readonly result: Shape;
  /** The list that the result is about, where a client can do without single items of it. */
  readonly items?: ResultItems;
  /** The fields of the method's own that a result must carry. */
  readonly resultFields: readonly string[];
}

/** One notification as the revisions of its row have it. */
export interface NotificationSpec extends Span {
  readonly method: string;
  readonly sender: Sender;
  /** What the sender must have declared, as a dotted path into its capabilities. */
  readonly capability?: string;
  /** Takes the params as they arrived, undefined where there were none. */
  readonly params: Shape;
}
