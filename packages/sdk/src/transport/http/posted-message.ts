/** One POST under way: the answers it owes, the era and session it was sent in, and the handle that ends it. */
import { isJsonObject } from "../../protocol/json.js";
import type { JsonRpcMessage, RequestId } from "../../wire/json-rpc.js";
import { timerMs } from "../timer-limit.js";
import { AwaitedAnswers } from "./awaited-answers.js";
import { CallHandle } from "./call-handle.js";
import type { LegacySession } from "./legacy-session.js";

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
  #isCancelled = false;
  #lastWords: ReturnType<typeof setTimeout> | undefined;

  constructor(message: JsonRpcMessage | readonly JsonRpcMessage[], { isModern, session, isOpening }: PostedIn) {
    this.awaited = new AwaitedAnswers(message);
    this.isModern = isModern;
    this.session = session;
    this.isOpening = isOpening;
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
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.handle.sent(), late]);
    clearTimeout(timer);
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
    const taken = this.awaited.take(message);
    // Before it is handed on: whoever receives it may answer at once, under the revision it names.
    if (this.isOpening) this.session.settle(taken);
    receive(taken);
    return this.awaited.isEmpty;
  }
}
