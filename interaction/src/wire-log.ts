/** Every message that crossed in one test, by connection and in order. */
import type { JsonRpcMessage, WireEntry } from "parley-mcp/testing";

export type Side = WireEntry["from"];

/** One connection's messages, and whose of them are ours: a scripted peer may say what it likes. */
export interface ConnectionLog {
  readonly entries: WireEntry[];
  readonly judged: readonly Side[];
}

export class WireLog {
  readonly connections: ConnectionLog[] = [];

  open(judged: readonly Side[]): ConnectionLog {
    const log: ConnectionLog = { entries: [], judged };
    this.connections.push(log);
    return log;
  }

  /** The messages of one side, those of a batch one by one. */
  from(side: Side): JsonRpcMessage[] {
    return this.connections.flatMap(({ entries }) => entries.filter(({ from }) => from === side).flatMap(messagesOf));
  }

  /** The methods of the requests and notifications that one side sent, in order. */
  methods(side: Side): string[] {
    return this.from(side).flatMap((message) => ("method" in message ? [message.method] : []));
  }
}

/** Those of an entry's members that are objects: a scripted peer may put anything into a batch. */
export function messagesOf({ message }: WireEntry): readonly JsonRpcMessage[] {
  const members: readonly unknown[] = Array.isArray(message) ? message : [message];
  return members.filter(
    (member): member is JsonRpcMessage => typeof member === "object" && member !== null && !Array.isArray(member),
  );
}
