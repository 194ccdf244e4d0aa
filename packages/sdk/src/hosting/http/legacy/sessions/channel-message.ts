/** The messages that the processes of one session exchange over its channel. Each is checked when it is read. */
import { LOGGING_LEVELS } from "../../../../protocol/logging.js";
import { REVISIONS } from "../../../../protocol/revisions.js";
import {
  array,
  boolean,
  integer,
  jsonObject,
  object,
  oneOf,
  optional,
  string,
  tagged,
} from "../../../../protocol/shape.js";
import type { JsonObject } from "../../../../runtime/json.js";
import type { SessionRecord } from "./session-store.js";

/** `check`: a process that has the standalone stream asks whether another one has it too. */
export type ClaimPurpose = "listen" | "resume" | "emit" | "check";

/** The numbers of a stream that another process continues. */
export interface StreamNumbers {
  readonly lastNumber: number;
  readonly lastSent: number;
  /** The claim of the process that writes the stream; 0 where the stream began. */
  readonly claimed: number;
}

/** A record that several processes change. */
export interface SharedSessionRecord extends SessionRecord {
  readonly version: number;
  readonly savedAt: number;
}

/** `ask` is the id of a question to all processes, which each answers with a `reply`. `no`: this process has nothing to do with it. */
export type ChannelBody =
  /** The session was deleted. */
  | { readonly kind: "ended" }
  /** The record has changed. */
  | { readonly kind: "state"; readonly record: SharedSessionRecord }
  /** A cancellation or progress whose request the sender does not know. */
  | { readonly kind: "message"; readonly message: JsonObject }
  /** An answer whose request the sender does not know. The process that waits for it says yes. */
  | { readonly kind: "answer"; readonly ask: string; readonly message: JsonObject }
  /** The sender takes the standalone stream over. */
  | { readonly kind: "claim"; readonly ask: string; readonly purpose: ClaimPurpose }
  /** The sender has the standalone stream now, although the process that had it did not hand it over. */
  | { readonly kind: "claimed" }
  /** A message for the standalone stream. */
  | { readonly kind: "emit"; readonly ask: string; readonly isRequest: boolean; readonly text: string }
  /** The sender connects the client to a stream. With `isCheck`, it asks whether the stream is still written. */
  | { readonly kind: "follow"; readonly ask: string; readonly stream: string; readonly isCheck: boolean }
  | {
      readonly kind: "reply";
      readonly ask: string;
      readonly outcome: "yes" | "no" | "refused";
      readonly numbers?: StreamNumbers | undefined;
    }
  /** The next event of a stream that another process follows. */
  | { readonly kind: "event"; readonly stream: string; readonly number: number; readonly text: string }
  /** `finished`: no events follow. `paused`: the client must connect again. `resumed`: it has, at the sender. */
  | { readonly kind: "finished" | "paused" | "resumed"; readonly stream: string };

export type ChannelMessage = ChannelBody & { readonly from: string };

const numbers = object({ lastNumber: integer, lastSent: integer, claimed: integer });

const handshake = object({
  envelope: object({
    revision: oneOf(...REVISIONS),
    era: oneOf("legacy"),
    clientInfo: optional(jsonObject),
    clientCapabilities: jsonObject,
  }),
  announced: jsonObject,
  isReady: boolean,
  logLevel: oneOf(...LOGGING_LEVELS),
  watched: array(string),
});

const record = object({
  principal: optional(string),
  handshake,
  version: integer,
  savedAt: integer,
});

const onStream = object({ stream: string });

const body = tagged("kind", {
  ended: object({}),
  state: object({ record }),
  message: object({ message: jsonObject }),
  answer: object({ ask: string, message: jsonObject }),
  claim: object({ ask: string, purpose: oneOf("listen", "resume", "emit", "check") }),
  claimed: object({}),
  emit: object({ ask: string, isRequest: boolean, text: string }),
  follow: object({ ask: string, stream: string, isCheck: boolean }),
  reply: object({ ask: string, outcome: oneOf("yes", "no", "refused"), numbers: optional(numbers) }),
  event: object({ stream: string, number: integer, text: string }),
  finished: onStream,
  paused: onStream,
  resumed: onStream,
});

const sent = object({ from: string });

/** The message in a text; undefined for any other text. */
export function parseChannelMessage(text: string): ChannelMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // The shapes check the members.
    return (sent(value) ?? body(value)) === undefined ? (value as ChannelMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether processes can share a record: its store has kept the whole state, the version and the time. */
export function isSharedRecord(value: unknown): value is SharedSessionRecord {
  return record(value) === undefined;
}
