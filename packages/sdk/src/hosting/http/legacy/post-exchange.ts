/**
 * The response to one POST with requests: plain JSON as long as nothing but answers is sent, an event stream from the
 * first other message on. It ends when every request of the POST has been answered or cancelled.
 */
import { BatchBytes } from "../../../dispatch/batch-answers.js";
import { SdkError } from "../../../errors/sdk-error.js";
import type { ErrorCallback } from "../../../runtime/error-callback.js";
import { textBytes } from "../../../runtime/json-size.js";
import type { Caller } from "../../../transport/caller.js";
import type { JsonRpcAnswer, RequestId } from "../../../wire/json-rpc.js";
import { refusedStatus, sendAnswer } from "../error-status.js";
import type { Body, HttpResponse } from "../http-exchange.js";
import type { HttpRefusal } from "../http-refusal.js";
import { JSON_HEADERS } from "../media-types.js";
import { type EventStream, Outgoing } from "./event-stream.js";

/** What a transport knows of the response that its requests wait for. */
export interface Exchange {
  emit(message: Outgoing): void | Promise<void>;
  answer(message: Outgoing, answer: JsonRpcAnswer): void | Promise<void>;
  /** One of its requests was cancelled and will not be answered. */
  skip(): void;
  /** The session is over: these of its requests are answered with why. */
  abort(why: HttpRefusal, ids: readonly RequestId[]): void;
}

export interface PostExchangeOptions {
  readonly response: HttpResponse;
  readonly caller: Caller | undefined;
  /** Whether there are several answers in one body. */
  readonly isBatch: boolean;
  /** Makes the stream; without it there is plain JSON alone. */
  readonly openStream?: (() => EventStream) | undefined;
  readonly report: ErrorCallback;
  readonly onSettled: () => void;
}

export class PostExchange implements Exchange {
  readonly #options: PostExchangeOptions;
  readonly #answers: Body[] = [];
  #batchBytes: BatchBytes | undefined;
  // The POST itself counts as one until all of it has been read, so that an early answer does not end it.
  #outstanding = 1;
  #isAsked = false;
  #hasAnswered = false;
  #stream: EventStream | undefined;
  #lastError: JsonRpcAnswer | undefined;

  constructor(options: PostExchangeOptions) {
    this.#options = options;
  }

  /** One more request that will be answered or cancelled. */
  expect(): void {
    this.#isAsked = true;
    this.#outstanding += 1;
  }

  allRead(): void {
    this.#settleOne();
  }

  /** Becomes a stream now, if it may and is not one yet. */
  startStream(): EventStream | undefined {
    const { openStream } = this.#options;
    if (this.#stream || !openStream) return this.#stream;
    this.#stream = openStream();
    for (const body of this.#answers.splice(0)) void this.addAnswer(body);
    return this.#stream;
  }

  emit(message: Outgoing): void | Promise<void> {
    const stream = this.startStream();
    if (stream) return stream.emit(message);
    // A notification that nobody can get is no fault of the handler's.
    if (message.kind === "request") throw noStream();
  }

  /** An answer to what is not among the expected requests. */
  addAnswer(body: Body): void | Promise<void> {
    this.#hasAnswered = true;
    if (this.#stream) return this.#stream.emit(new Outgoing("answer", body));
    this.#answers.push(body);
  }

  answer({ body }: Outgoing, answer: JsonRpcAnswer): void | Promise<void> {
    if ("error" in answer) this.#lastError = answer;
    const sent = this.addAnswer(this.#bounded(body, answer));
    this.#settleOne();
    return sent;
  }

  skip(): void {
    this.#settleOne();
  }

  abort({ status, headers, error }: HttpRefusal, ids: readonly RequestId[]): void {
    const { response, isBatch, onSettled } = this.#options;
    const answerTo = (id: RequestId | undefined) => JSON.stringify({ jsonrpc: "2.0", id, error });
    if (this.#stream) this.#stream.abandon(ids.map(answerTo));
    // A batch is refused as a whole.
    else response.send(status, { ...JSON_HEADERS, ...headers }, answerTo(isBatch ? undefined : ids[0]));
    onSettled();
  }

  /** The answers of a batch wait for one another, unless they go out on a stream. */
  #bounded(body: Body, answer: JsonRpcAnswer): Body {
    if (!this.#options.isBatch || this.#stream) return body;
    this.#batchBytes ??= new BatchBytes();
    const bytes = typeof body === "string" ? textBytes(body) : body.byteLength;
    const admitted = this.#batchBytes.admit(answer, bytes);
    return admitted === answer ? body : JSON.stringify(admitted);
  }

  #settleOne(): void {
    this.#outstanding -= 1;
    if (this.#outstanding > 0) return;
    // A cancelled request has no answer, and a stream may be without one.
    const stream = this.#isAsked && !this.#hasAnswered ? this.startStream() : this.#stream;
    if (stream) stream.finish(!this.#hasAnswered);
    else this.#sendJson();
    this.#options.onSettled();
  }

  #sendJson(): void {
    const { response, isBatch, caller, report } = this.#options;
    const [first] = this.#answers;
    // Without streams there is nothing to send for a cancelled request; where there was no request, all was accepted.
    if (first === undefined) response.send(this.#isAsked ? 204 : 202, {});
    else if (isBatch) response.send(200, JSON_HEADERS, `[${this.#answers.join(",")}]`);
    else if (this.#lastError === undefined) response.send(200, JSON_HEADERS, first);
    else {
      response.refused?.(this.#lastError);
      sendAnswer(response, refusedStatus(this.#lastError) ?? 200, this.#lastError, first, caller, report);
    }
  }
}

function noStream(): SdkError {
  const message = "The client cannot be asked: this server answers with plain JSON (jsonResponses)";
  return new SdkError("capability-not-supported", message);
}
