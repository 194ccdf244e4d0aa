/**
 * The response to one POST of the legacy era: plain JSON if only answers are sent, otherwise an event stream. The response
 * ends when every request of the POST is answered or cancelled.
 */
import { BatchBytes } from "../../../dispatch/batch-answers.js";
import type { Responder } from "../../../dispatch/served-request.js";
import { SdkError } from "../../../errors/sdk-error.js";
import type { ErrorCallback } from "../../../runtime/error-callback.js";
import { textBytes } from "../../../runtime/json-size.js";
import type { Caller } from "../../../transport/caller.js";
import type {
  JsonRpcAnswer,
  JsonRpcError,
  JsonRpcNotification,
  JsonRpcRequest,
  RequestId,
} from "../../../wire/json-rpc.js";
import { messageText } from "../../../wire/preserialized-json.js";
import { sendErrorAnswer, sendRefusal } from "../error-status.js";
import type { HttpBody, HttpResponse } from "../http-host.js";
import { HttpRefusal } from "../http-refusal.js";
import { JSON_HEADERS } from "../media-types.js";
import { storeFailed } from "./refusals.js";
import { type EventStream, Outgoing, outgoing } from "./streams/event-stream.js";

export interface ResponseWriterOptions {
  readonly response: HttpResponse;
  readonly caller: Caller | undefined;
  /** Whether the body is an array of answers. */
  readonly isBatch: boolean;
  /** Opens the event stream. @defaultValue none: the response is plain JSON */
  readonly openStream?: (() => EventStream) | undefined;
  /** The refusal of requests that are unanswered when the connection closes. */
  readonly closeReason: () => HttpRefusal;
  readonly report: ErrorCallback;
  readonly onSettled: () => void;
  /**
   * Stores changes of the session, which other processes read, before an answer. Undefined if there is nothing to wait for.
   * @defaultValue none
   */
  readonly beforeAnswer?: (() => Promise<void> | undefined) | undefined;
  /** Like `beforeAnswer`, with answers and cancellations for other processes. Called once all messages were received. @defaultValue none */
  readonly onReceived?: (() => Promise<void> | undefined) | undefined;
}

export class ResponseWriter implements Responder {
  readonly #options: ResponseWriterOptions;
  readonly #answers: HttpBody[] = [];
  #batchBytes: BatchBytes | undefined;
  // Starts at 1 for the POST itself, until `allReceived`, so that an early answer does not end the response.
  #outstanding = 1;
  #hasRequests = false;
  #hasAnswered = false;
  #stream: EventStream | undefined;
  #lastError: JsonRpcError | undefined;

  constructor(options: ResponseWriterOptions) {
    this.#options = options;
  }

  expect(): void {
    this.#hasRequests = true;
    this.#outstanding += 1;
  }

  allReceived(): void {
    const passedOn = this.#options.onReceived?.();
    if (passedOn === undefined) this.#settleOne();
    else
      void passedOn.then(
        () => this.#settleOne(),
        (error: unknown) => this.#notPassedOn(error),
      );
  }

  /** Opens the stream, unless it is open or the response must be plain JSON. */
  startStream(): EventStream | undefined {
    const { openStream } = this.#options;
    if (this.#stream || !openStream) return this.#stream;
    this.#stream = openStream();
    for (const body of this.#answers.splice(0)) void this.#write(body);
    return this.#stream;
  }

  send(message: JsonRpcRequest | JsonRpcNotification): void | Promise<void> {
    const stream = this.startStream();
    if (stream) return stream.emit(outgoing(message));
    // Without a stream, a notification is dropped silently, and only a request fails.
    if ("id" in message) throw noStream();
  }

  answer(message: JsonRpcAnswer): void | Promise<void> {
    // Serialized before the counters change: if it throws, the dispatcher sends another answer.
    const body = messageText(message);
    const saved = this.#options.beforeAnswer?.();
    if (saved === undefined) return this.#answer(message, body);
    return saved.then(
      () => this.#answer(message, body),
      () => {
        // The refusal has an error.
        const error = storeFailed().error as JsonRpcError["error"];
        const { id } = message;
        const failed: JsonRpcError = { jsonrpc: "2.0", ...(id !== undefined && { id }), error };
        return this.#answer(failed, JSON.stringify(failed));
      },
    );
  }

  skip(): void {
    this.#settleOne();
  }

  close(ids: readonly RequestId[]): void {
    const { response, isBatch, closeReason, onSettled } = this.#options;
    const refusal = closeReason();
    const { error } = refusal;
    if (this.#stream) this.#stream.abandon(ids.map((id) => JSON.stringify({ jsonrpc: "2.0", id, error })));
    // A batch is refused as a whole.
    else sendRefusal(response, refusal, isBatch ? undefined : ids[0]);
    onSettled();
  }

  #answer(message: JsonRpcAnswer, body: HttpBody): void | Promise<void> {
    if ("error" in message) this.#lastError = message;
    const sent = this.#write(this.#bounded(body, message));
    this.#settleOne();
    return sent;
  }

  /** The answers or cancellations of a POST did not reach the process that waits for them. Requests beside them are served. */
  #notPassedOn(error: unknown): void {
    const { response, onSettled } = this.#options;
    if (this.#hasRequests) {
      this.#settleOne();
      return;
    }
    sendRefusal(response, error instanceof HttpRefusal ? error : storeFailed(), undefined);
    onSettled();
  }

  #write(body: HttpBody): void | Promise<void> {
    this.#hasAnswered = true;
    if (this.#stream) return this.#stream.emit(new Outgoing("answer", body));
    this.#answers.push(body);
  }

  /** Limits the bytes of a batch's answers. Without a stream, they are held until all are known. */
  #bounded(body: HttpBody, answer: JsonRpcAnswer): HttpBody {
    if (!this.#options.isBatch || this.#stream) return body;
    this.#batchBytes ??= new BatchBytes();
    const bytes = typeof body === "string" ? textBytes(body) : body.byteLength;
    const admitted = this.#batchBytes.admit(answer, bytes);
    return admitted === answer ? body : JSON.stringify(admitted);
  }

  #settleOne(): void {
    this.#outstanding -= 1;
    if (this.#outstanding > 0) return;
    // If all requests were cancelled, an empty stream ends the response without an answer.
    const stream = this.#hasRequests && !this.#hasAnswered ? this.startStream() : this.#stream;
    if (stream) stream.finish(!this.#hasAnswered);
    else this.#sendJson();
    this.#options.onSettled();
  }

  #sendJson(): void {
    const { response, isBatch, caller, report } = this.#options;
    const [first] = this.#answers;
    // 204 if all requests were cancelled, 202 if there were none.
    if (first === undefined) response.send(this.#hasRequests ? 204 : 202, {});
    else if (isBatch) response.send(200, JSON_HEADERS, `[${this.#answers.join(",")}]`);
    else if (this.#lastError === undefined) response.send(200, JSON_HEADERS, first);
    else sendErrorAnswer(response, this.#lastError, first, caller, report);
  }
}

function noStream(): SdkError {
  const message = "The client cannot be asked: this server answers with plain JSON (jsonResponses)";
  return new SdkError("capability-not-supported", message);
}
