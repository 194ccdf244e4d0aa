/** Event streams to a legacy client: the interface, and `PlainStream`, which lives on one connection. */
import { SdkError } from "../../../../errors/sdk-error.js";
import type { JsonRpcMessage } from "../../../../wire/json-rpc.js";
import { messageText } from "../../../../wire/preserialized-json.js";
import { encodeEvent } from "../../../../wire/sse-encoder.js";
import type { HttpBody } from "../../http-host.js";
import type { EventConnection } from "./event-connection.js";

/** A serialized message to the client. */
export class Outgoing {
  readonly kind: "request" | "notification" | "answer";
  readonly body: HttpBody;

  constructor(kind: Outgoing["kind"], body: HttpBody) {
    this.kind = kind;
    this.body = body;
  }

  get text(): string {
    return String(this.body);
  }
}

export interface EventStream {
  /** Throws or rejects if a request cannot reach the client, since it would never be answered. */
  emit(message: Outgoing): void | Promise<void>;
  /** Ends the stream. A client may still resume it for events that it missed, unless `isForgotten`. */
  finish(isForgotten: boolean): void;
  /** Ends the stream with its session, after these last messages. */
  abandon(lastMessages: readonly string[]): void;
}

/** @throws {SdkError} `invalid-argument` for a value that JSON cannot express. */
export function outgoing(message: JsonRpcMessage): Outgoing {
  const body = messageText(message);
  if (!("method" in message)) return new Outgoing("answer", body);
  return new Outgoing("id" in message ? "request" : "notification", body);
}

export function cannotAsk(why: string): SdkError {
  return new SdkError("connection-closed", `The client cannot be asked: ${why}`);
}

/** A stream over one connection. Messages sent after the connection is lost are dropped. */
export class PlainStream implements EventStream {
  readonly #connection: EventConnection;

  constructor(connection: EventConnection) {
    this.#connection = connection;
  }

  emit({ kind, text }: Outgoing): void | Promise<void> {
    if (this.#connection.write(encodeEvent({ data: text }))) return this.#connection.drained();
    if (kind === "request") throw cannotAsk("the connection of its request has broken");
  }

  finish(): void {
    this.#connection.end();
  }

  abandon(lastMessages: readonly string[]): void {
    for (const data of lastMessages) this.#connection.write(encodeEvent({ data }));
    this.finish();
  }
}
