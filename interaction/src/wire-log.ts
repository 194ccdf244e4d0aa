/** Every message that crossed in one test, by connection and in order. */
import type { JsonRpcMessage, WireEntry } from "parley-mcp/testing";
import type { Revision } from "parley-requirements";

export type Side = WireEntry["from"];

/** One connection's messages, and whose of them are ours: a scripted peer may say what it likes. */
export class ConnectionLog {
  readonly entries: WireEntry[] = [];
  readonly judged: readonly Side[];
  /** The revision of what no handshake and no envelope tells; that of the cell if absent. */
  readonly revision: Revision | undefined;
  /** Whether all that crosses is written down, so that silence is heard too. A raw peer reads as far as its test wants to. */
  readonly isWhole: boolean;

  constructor(judged: readonly Side[], revision?: Revision, isWhole = true) {
    this.judged = judged;
    this.revision = revision;
    this.isWhole = isWhole;
  }

  /** Writes a message down. Peers may send anything; other values are nothing that a later answer could be about. */
  note(from: Side, message: unknown): void {
    if (typeof message === "object" && message !== null)
      this.entries.push({ from, message: message as JsonRpcMessage });
  }

  /** The same for a message as text, if it is one. */
  noteText(from: Side, text: string): void {
    try {
      this.note(from, JSON.parse(text));
    } catch {
      // Raw peers send and receive bodies, lines and events that are not JSON.
    }
  }
}

export class WireLog {
  readonly connections: ConnectionLog[] = [];

  open(judged: readonly Side[]): ConnectionLog {
    return this.#add(new ConnectionLog(judged));
  }

  /** For a raw peer: `ours` is the side whose messages it receives. */
  openRaw(ours: Side, revision?: Revision): ConnectionLog {
    return this.#add(new ConnectionLog([ours], revision, false));
  }

  /** How many messages the judges hear of, and hear the other side say nothing to. */
  get heardMessages(): number {
    const heard = ({ entries, isWhole, judged }: ConnectionLog) =>
      isWhole ? entries : entries.filter(({ from }) => judged.includes(from));
    return this.connections.flatMap(heard).length;
  }

  /** The messages of one side, those of a batch one by one. */
  from(side: Side): JsonRpcMessage[] {
    return this.connections.flatMap(({ entries }) => entries.filter(({ from }) => from === side).flatMap(messagesOf));
  }

  /** The methods of the requests and notifications that one side sent, in order. */
  methods(side: Side): string[] {
    return this.from(side).flatMap((message) => ("method" in message ? [message.method] : []));
  }

  #add(log: ConnectionLog): ConnectionLog {
    this.connections.push(log);
    return log;
  }
}

/** Those of an entry's members that are objects: a scripted peer may put anything into a batch. */
export function messagesOf({ message }: WireEntry): readonly JsonRpcMessage[] {
  const members: readonly unknown[] = Array.isArray(message) ? message : [message];
  return members.filter(
    (member): member is JsonRpcMessage => typeof member === "object" && member !== null && !Array.isArray(member),
  );
}

let ofThisTest = new WireLog();

/** Has the raw peers that a test makes from now on write into its log. Tests of one worker run one after the other. */
export function logInto(wire: WireLog): void {
  ofThisTest = wire;
}

/** A log of the running test for a raw peer: `ours` is the side whose messages the peer receives. */
export function openLog(ours: Side, revision?: Revision): ConnectionLog {
  return ofThisTest.openRaw(ours, revision);
}

/** Writes a text down if it is a message. The same connections carry the JSON of OAuth and the answers of other routes. */
export function noteMessage(log: ConnectionLog | undefined, side: Side, text: string): void {
  if (text.includes('"jsonrpc"')) log?.noteText(side, text);
}
