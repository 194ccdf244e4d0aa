/** One POST in flight: its pending responses, the era and session it was sent in, and the controller that aborts it. */
import { callName } from "../../protocol/call-name.js";
import { mirroredName } from "../../protocol/http-headers.js";
import { isJsonObject } from "../../runtime/json.js";
import { timerMs, withTimeout } from "../../runtime/timers.js";
import type { JsonRpcMessage, RequestId } from "../../wire/json-rpc.js";
import { CallController } from "./call-controller.js";
import type { EndpointClient } from "./endpoint-client.js";
import type { HttpSession } from "./http-session.js";
import { isBatch } from "./message-headers.js";
import { PendingResponses } from "./pending-responses.js";

export interface PostContext {
  /** Decided when the message is sent. A later negotiation does not change how it is cancelled. */
  readonly isModern: boolean;
  readonly session: HttpSession;
  /** Whether the message is `initialize`. */
  readonly isOpening: boolean;
}

export class InFlightPost implements PostContext {
  readonly isModern: boolean;
  readonly session: HttpSession;
  readonly isOpening: boolean;
  readonly awaited: PendingResponses;
  readonly controller: CallController = new CallController();
  /** The last error of the stream while the response was pending. It delays the response. */
  delayCause: Error | undefined;
  readonly #call: string | undefined;
  #isCancelled = false;
  #abortTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(message: JsonRpcMessage | readonly JsonRpcMessage[], { isModern, session, isOpening }: PostContext) {
    this.awaited = new PendingResponses(message);
    this.#call = subjectOf(message);
    this.isModern = isModern;
    this.session = session;
    this.isOpening = isOpening;
  }

  /** The name of the call in error messages. */
  nameAt(endpoint: EndpointClient): string {
    const name = endpoint.name("POST");
    return this.#call === undefined ? name : `${name} (${this.#call})`;
  }

  /** Every request of the POST is cancelled: late responses are dropped, and the stream is not resumed. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  cancel(id: RequestId): void {
    this.awaited.drop(id);
    this.#isCancelled = this.awaited.isEmpty;
  }

  /** Resolves when the request has left, or after `ms`. */
  async sentWithin(ms: number): Promise<void> {
    await withTimeout(this.controller.sent(), ms, () => undefined);
  }

  /** Aborts the call after `ms`, unless the server ends the response before. */
  endWithin(ms: number, reason: Error): void {
    this.#abortTimer = setTimeout(() => this.controller.abort(reason), timerMs(ms));
  }

  /** Clears the timer of `endWithin` once the response is read or given up. */
  ended(): void {
    clearTimeout(this.#abortTimer);
  }

  /** Passes a message to `receive`. True once no response is pending. */
  take(message: unknown, receive: (message: unknown) => void): boolean {
    if (this.#isCancelled) {
      // The server may cancel requests that it sent on behalf of this one.
      if (isJsonObject(message) && message.method !== undefined) receive(message);
      return false;
    }
    this.delayCause = undefined;
    const taken = this.awaited.take(message);
    // Before `receive`: the receiver may send the next message synchronously, under the negotiated revision.
    if (this.isOpening) this.session.settle(taken);
    receive(taken);
    return this.awaited.isEmpty;
  }
}

/** The tool, prompt or resource that a single call is about. */
function subjectOf(message: JsonRpcMessage | readonly JsonRpcMessage[]): string | undefined {
  if (isBatch(message) || !("method" in message)) return undefined;
  const subject = mirroredName(message.method, message.params);
  return subject === undefined ? undefined : callName(message.method, subject);
}
