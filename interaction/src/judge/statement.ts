/** A conversation as a judge hears it: each message with its kind, the method it is about, and the revision it obeys. */
import type { JsonRpcMessage, WireEntry } from "parley-mcp/testing";
import { NEWEST_REVISION, REVISIONS, type Revision } from "parley-requirements";
import { messagesOf, type Side } from "../wire-log.js";

export interface Statement {
  readonly from: Side;
  readonly kind: "request" | "notification" | "result" | "error";
  /** For answers the method of the request; undefined when nothing is known to be answered. */
  readonly method: string | undefined;
  readonly revision: Revision;
  readonly message: JsonRpcMessage;
  readonly isBatched: boolean;
  /** The answer to a request of 2025-11-25 with the param `task`, which became a task. */
  readonly isTask?: boolean;
}

/** Says what is wrong with a statement, or nothing. */
export interface Judge {
  readonly name: string;
  complaint(statement: Statement): string | undefined;
}

const REVISION_KEY = "io.modelcontextprotocol/protocolVersion";
/** On notifications of a subscription, which exist in the newest revision alone. */
const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId";

interface Asked {
  /** Undefined while two requests with one id wait for their answers. */
  readonly method: string | undefined;
  readonly revision: Revision;
  readonly hasTask: boolean;
}

/** `revision` is the one the conversation was set up for; a handshake or an envelope in it overrules that. */
export function statementsOf(entries: readonly WireEntry[], revision: Revision): Statement[] {
  const asked = new Map<string, Asked>();
  let current = revision;
  return entries.flatMap((entry) =>
    messagesOf(entry).map((message) => {
      const base = { from: entry.from, message, isBatched: Array.isArray(entry.message) };
      if ("method" in message) {
        const obeyed = namedRevision(message.params) ?? current;
        if (!("id" in message)) return { ...base, kind: "notification", method: message.method, revision: obeyed };
        const key = keyOf(entry.from, message.id);
        const hasTask = obeyed === "2025-11-25" && message.params !== undefined && "task" in message.params;
        asked.set(key, { method: asked.has(key) ? undefined : message.method, revision: obeyed, hasTask });
        return { ...base, kind: "request", method: message.method, revision: obeyed };
      }
      const key = keyOf(entry.from === "client" ? "server" : "client", message.id);
      const question = asked.get(key);
      asked.delete(key);
      if ("result" in message && question?.method === "initialize") {
        current = knownRevision(message.result.protocolVersion) ?? current;
        return { ...base, kind: "result", method: "initialize", revision: current };
      }
      const kind = "result" in message ? "result" : "error";
      const isTask = question?.hasTask === true && "result" in message && "task" in message.result;
      const about = { method: question?.method, revision: question?.revision ?? current };
      return { ...base, kind, ...about, ...(isTask && { isTask }) };
    }),
  );
}

/** The revision a request names for itself: its own in an envelope, the one it asks for in a handshake. */
function namedRevision(params: unknown): Revision | undefined {
  const { _meta: meta, protocolVersion } = (params ?? {}) as { _meta?: unknown; protocolVersion?: unknown };
  const members = (meta ?? {}) as Record<string, unknown>;
  // Whoever names a revision nobody knows still has to do it the modern way.
  if (members[REVISION_KEY] !== undefined || members[SUBSCRIPTION_KEY] !== undefined) return NEWEST_REVISION;
  return knownRevision(protocolVersion);
}

function knownRevision(value: unknown): Revision | undefined {
  return REVISIONS.find((revision) => revision === value);
}

/** Ids correlate as text. */
function keyOf(side: Side, id: string | number | undefined): string {
  return `${side} ${id}`;
}
