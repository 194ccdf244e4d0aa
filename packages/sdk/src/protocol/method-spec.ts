/** The rows of the method tables. */
import type { Revision } from "./revisions.js";
import type { ResultItems } from "./salvage.js";
import type { Shape } from "./shape.js";

/** Who sends a message. */
export type MethodSender = "client" | "server";

/** The revisions in which a row holds. */
interface Span {
  readonly since: Revision;
  /** The last revision that has the method; absent if the latest has it. */
  readonly until?: Revision;
}

/** One request as the revisions of its row have it. */
export interface RequestSpec extends Span {
  readonly method: string;
  readonly sender: MethodSender;
  /** The capability that the receiver must have declared, as a dotted path. */
  readonly capability?: string;
  /** Whether a modern result carries cache hints. */
  readonly cacheable: boolean;
  /** Whether a modern result may be an `InputRequiredResult` instead, which `result` does not describe. */
  readonly mayRequireInput: boolean;
  /** The shape of the params; undefined params are checked too. */
  readonly params: Shape;
  /** The finished result. */
  readonly result: Shape;
  /** The list in the result of which a client can drop malformed items. */
  readonly items?: ResultItems;
  /** The fields of the method's own that a result must carry. */
  readonly resultFields: readonly string[];
}

/** One notification as the revisions of its row have it. */
export interface NotificationSpec extends Span {
  readonly method: string;
  readonly sender: MethodSender;
  /** The capability that the sender must have declared, as a dotted path. */
  readonly capability?: string;
  /** The shape of the params; undefined params are checked too. */
  readonly params: Shape;
}
