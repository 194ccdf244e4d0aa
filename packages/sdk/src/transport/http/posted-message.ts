/** One POST under way: the answers it owes, the era and session it was sent in, and the handle that ends it. */
import { callName } from "../../protocol/call-name.js";
import { mirroredName } from "../../protocol/http-headers.js";
import { isJsonObject } from "../../protocol/json.js";
import { timerMs, withTimeout } from "../../runtime/timers.js";
import type { JsonRpcMessage, RequestId } from "../../wire/json-rpc.js";
import { AwaitedAnswers } from "./awaited-answers.js";
import { CallHandle } from "./call-handle.js";
import type { HttpEndpoint } from "./http-endpoint.js";
import type { LegacySession } from "./legacy-session.js";
import { isBatch } from "./message-headers.js";

export interface PostedIn {
  /** Judged when it was sent: what is negotiated later does not change how it is cancelled. */
  readonly isModern: boolean;
  readonly session: LegacySession;
  /** Whether it opens the session. */
  readonly isOpening: boolean;
}

export class PostedMessage implements PostedIn {
  readonly isModern: boolean;
  readonly session: LegacySession;
  readonly isOpening: boolean;
  readonly awaited: AwaitedAnswers;
  readonly handle: CallHandle = new CallHandle();
  /** What the server last failed with while the answer was waited for. */
  trouble: Error | undefined;
  readonly #call: string | undefined;
  #isCancelled = false;
  #lastWords: ReturnType<typeof setTimeout> | undefined;

  constructor(message: JsonRpcMessage | readonly JsonRpcMessage[], { isModern, session, isOpening }: PostedIn) {
    this.awaited = new AwaitedAnswers(message);
    this.#call = subjectOf(message);
    this.isModern = isModern;
    this.session = session;
    this.isOpening = isOpening;
  }

  /** How errors name it. */
  nameAt(endpoint: HttpEndpoint): string {
    const name = endpoint.name("POST");
    return this.#call === undefined ? name : `${name} (${this.#call})`;
  }

  /** Nobody waits for any of it: answers that still come are dropped, and nothing is resumed. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  cancel(id: RequestId): void {
    this.awaited.drop(id);
    this.#isCancelled = this.awaited.isEmpty;
  }

  /** Resolves when it is on its way, as far as that can be told, or when `ms` have passed. */
  async sentWithin(ms: number): Promise<void> {
    await withTimeout(this.handle.sent(), ms, () => undefined);
  }

  /** Gives the server a while to end the response by itself, once it knows. */
  endWithin(ms: number, reason: Error): void {
    this.#lastWords = setTimeout(() => this.handle.end(reason), timerMs(ms));
  }

  /** The response has been read, or will not be. */
  ended(): void {
    clearTimeout(this.#lastWords);
  }

  /** Hands a message on; true once nothing more is owed. */
  take(message: unknown, receive: (message: unknown) => void): boolean {
    if (this.#isCancelled) {
      // The server may take back what it asked for the request's sake.
      if (isJsonObject(message) && message.method !== undefined) receive(message);
      return false;
    }
    this.trouble = undefined;
    const taken = this.awaited.take(message);
    // Before it is handed on: whoever receives it may answer at once, under the revision it names.
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
