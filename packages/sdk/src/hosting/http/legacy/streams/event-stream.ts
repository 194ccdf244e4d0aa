/** Where messages to a client go: the stream of a request, or the one that belongs to none. */
import { SdkError } from "../../../../errors/sdk-error.js";
import type { JsonRpcMessage } from "../../../../wire/json-rpc.js";
import { messageText } from "../../../../wire/preserialized-json.js";
import { encodeEvent } from "../../../../wire/sse-encoder.js";
import type { Body } from "../../http-host.js";
import type { EventConnection } from "./event-connection.js";

/** A message on its way to the client. */
export class Outgoing {
  readonly kind: "request" | "notification" | "answer";
  readonly body: Body;

  constructor(kind: Outgoing["kind"], body: Body) {
    this.kind = kind;
    this.body = body;
  }

  get text(): string {
    return String(this.body);
  }
}

export interface EventStream {
  /** Throws or rejects when a request cannot reach the client, since nobody would ever answer it. */
  emit(message: Outgoing): void | Promise<void>;
  /** Nothing more will come. What was sent may still be asked for, unless `isForgotten`. */
  finish(isForgotten: boolean): void;
  /** The session is over: whoever listens gets these messages, and nothing more will come. */
  abandon(lastWords: readonly string[]): void;
}

/** @throws {SdkError} `invalid-argument` for what JSON cannot express. */
export function outgoing(message: JsonRpcMessage): Outgoing {
  const body = messageText(message);
  if (!("method" in message)) return new Outgoing("answer", body);
  return new Outgoing("id" in message ? "request" : "notification", body);
}

export function unreachable(why: string): SdkError {
  return new SdkError("connection-closed", `The client cannot be asked: ${why}`);
}

/** A stream over one connection. What is sent when that has broken is lost. */
export class PlainStream implements EventStream {
  readonly #connection: EventConnection;

  constructor(connection: EventConnection) {
    this.#connection = connection;
  }

  emit({ kind, text }: Outgoing): void | Promise<void> {
    if (this.#connection.write(encodeEvent({ data: text }))) return this.#connection.drained();
    if (kind === "request") throw unreachable("the connection of its request has broken");
  }

  finish(): void {
    this.#connection.end();
  }

  abandon(lastWords: readonly string[]): void {
    for (const data of lastWords) this.#connection.write(encodeEvent({ data }));
    this.finish();
  }
}
