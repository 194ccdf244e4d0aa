/** The dispatcher over a transport: classifies messages, refuses invalid ones, and splits batches. */
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { mirroredName } from "../protocol/http-headers.js";
import type { JsonObject } from "../runtime/json.js";
import { isPromiseLike } from "../runtime/maybe-promise.js";
import type { Caller } from "../transport/caller.js";
import type { SendOptions, Transport, TransportReceiver } from "../transport/transport.js";
import {
  type Classified,
  type ClassifiedBatch,
  type ClassifiedMessage,
  classify,
  type InvalidMessage,
} from "../wire/classify.js";
import type { JsonRpcAnswer, JsonRpcError, JsonRpcMessage, JsonRpcRequest, JsonRpcResult } from "../wire/json-rpc.js";
import { serializeJson } from "../wire/json-text.js";
import { BaseDispatcher, internalError, PROGRESS, requestMessage } from "./base-dispatcher.js";
import { BatchAnswers } from "./batch-answers.js";
import { CANCELLED } from "./cancellation.js";
import {
  type AcceptConnection,
  type BatchCall,
  DEFAULT_MAX_BATCH_ITEMS,
  type DispatcherOptions,
  type RequestId,
} from "./dispatcher.js";
import type { PendingRequest } from "./pending-request.js";
import { sendFailure } from "./pending-request.js";
import type { RequestLoad } from "./request-limits.js";
import { errorAnswer, type Responder } from "./served-request.js";

const MAY_ANSWER: ReadonlySet<InvalidMessage["meantAs"]> = new Set(["answer", "unclear"]);

/**
 * A connection over a `Transport`: ids, timeouts, cancellation and limits of JSON-RPC. Hosts join it to a server by
 * `server.hosting`.
 */
export class JsonRpcDispatcher extends BaseDispatcher implements TransportReceiver {
  readonly #transport: Transport;
  readonly #maxBatchItems: number;

  private constructor(transport: Transport, options: DispatcherOptions, load?: RequestLoad) {
    super(options, load);
    this.#transport = transport;
    this.#maxBatchItems = options.maxBatchItems ?? DEFAULT_MAX_BATCH_ITEMS;
  }

  get carriesHeaders(): boolean {
    return this.#transport.carriesHeaders === true;
  }

  async connectionHeaders(): Promise<Readonly<Record<string, string>> | undefined> {
    return this.#transport.connectionHeaders?.();
  }

  /**
   * Connects a receiver to a transport whose `start` is synchronous. `load` counts the requests in progress if several
   * dispatchers share one connection.
   */
  static open(
    transport: Transport,
    accept: AcceptConnection,
    options: DispatcherOptions,
    load?: RequestLoad,
  ): JsonRpcDispatcher {
    const dispatcher = new JsonRpcDispatcher(transport, options, load);
    dispatcher.attach(accept);
    void transport.start(dispatcher);
    return dispatcher;
  }

  /** Connects a receiver to a transport. Rejects with the error of the transport's `start`. */
  static async start(
    transport: Transport,
    accept: AcceptConnection,
    options: DispatcherOptions = {},
  ): Promise<JsonRpcDispatcher> {
    const dispatcher = new JsonRpcDispatcher(transport, options);
    dispatcher.attach(accept);
    try {
      await transport.start(dispatcher);
    } catch (error) {
      // A transport that was started before belongs to another dispatcher, whose connection goes on.
      if (error instanceof SdkError && error.code === "invalid-argument") dispatcher.closed(error);
      else await dispatcher.close();
      throw error;
    }
    return dispatcher;
  }

  protected override transmit(message: JsonRpcMessage, options: SendOptions | undefined): void | Promise<void> {
    return this.#transport.send(message, options);
  }

  protected override unanswered(id: RequestId): void {
    this.#transport.unanswered?.(id);
  }

  delayCause(id: RequestId): Error | undefined {
    return this.#transport.delayCause?.(id);
  }

  protected override requestTogether(calls: readonly BatchCall[]): Promise<JsonObject>[] {
    const opened: PendingRequest[] = [];
    const messages: JsonRpcRequest[] = [];
    const promises = calls.map(({ method, params, options }) => {
      try {
        const pending = this.open(method, options);
        pending.subject = mirroredName(method, params);
        opened.push(pending);
        messages.push(requestMessage(pending, params));
        return pending.promise;
      } catch (error) {
        return Promise.reject(error);
      }
    });
    if (messages.length > 0) {
      this.#sendArray(messages, (cause) => {
        for (const pending of opened) pending.reject(sendFailure(pending.name, cause));
      });
    }
    return promises;
  }

  protected override disconnect(): void | Promise<void> {
    return this.#transport.close();
  }

  held(id: RequestId, until: Promise<unknown>): void {
    this.pending.find(id)?.hold(until);
  }

  receive(message: unknown, caller?: Caller): void {
    this.receiveMessage(classify(message), caller);
  }

  /** Receives a classified message. Its answers go to `responder`, or over the transport without one. */
  receiveMessage(message: Classified, caller?: Caller, responder?: Responder): void {
    if (this.isClosed) return;
    if (message.kind === "batch") this.#receiveBatch(message, caller, responder);
    else this.#receiveOne(message, caller, responder);
    responder?.allReceived();
  }

  /** The reason to refuse a whole batch; undefined for any other message. */
  batchComplaint(message: Classified): string | undefined {
    if (message.kind !== "batch") return undefined;
    if (this.receiver.acceptsBatches !== true) return "batches exist in 2025-03-26 alone";
    if (message.items.length <= this.#maxBatchItems) return undefined;
    return `a batch must not hold more than ${this.#maxBatchItems} messages`;
  }

  #receiveBatch(batch: ClassifiedBatch, caller: Caller | undefined, responder: Responder | undefined): void {
    const complaint = this.batchComplaint(batch);
    if (complaint !== undefined) {
      this.#refuseBatch(batch, complaint);
      return;
    }
    const answers = responder ?? new BatchAnswers((messages) => this.#sendAnswers(messages));
    for (const item of batch.items) {
      if (item.kind === "request" && item.message.method === "initialize") {
        this.#refuse(item.message.id, "initialize must not be part of a batch", answers);
      } else this.#receiveOne(item, caller, answers);
    }
    if (responder === undefined) answers.allReceived();
  }

  #receiveOne(message: ClassifiedMessage, caller: Caller | undefined, responder: Responder | undefined): void {
    switch (message.kind) {
      case "request":
        this.receiveRequest(message.message, responder, caller);
        return;
      case "notification":
        this.receiveNotification(message.message, caller);
        return;
      case "result":
        if (this.#isForwarded(message.id, { result: message.result as JsonObject })) return;
        this.pending.receiveResult(message.id, message.result);
        return;
      case "error":
        if (this.#isForwarded(message.id, { error: message.error })) return;
        this.pending.receiveError(message.id, message.error);
        return;
      default:
        this.#receiveInvalid(message, responder);
    }
  }

  /** Passes on an answer if another process of the session may wait for it. */
  #isForwarded(
    id: RequestId | undefined,
    answer: Pick<JsonRpcResult, "result"> | Pick<JsonRpcError, "error">,
  ): boolean {
    // An answer to an earlier question of this process comes too late, and no other process waits for it.
    if (this.forward === undefined || id === undefined || this.hasIssued(id)) return false;
    this.forward({ jsonrpc: "2.0", id, ...answer });
    return true;
  }

  /**
   * Receives a message that another process of the session has forwarded. Ignores one whose request is not known here either. `late`: an
   * answer to a request of this process that is over.
   */
  receiveForwarded(value: unknown): "received" | "late" | "unknown" {
    const message = classify(value);
    if (message.kind === "notification") {
      const { method, params } = message.message;
      if (method === CANCELLED) this.cancel(params);
      else if (method === PROGRESS) this.pending.receiveProgress(params);
      return "unknown";
    }
    if ((message.kind !== "result" && message.kind !== "error") || message.id === undefined) return "unknown";
    if (!this.hasIssued(message.id)) return "unknown";
    const isWaiting = this.pending.find(message.id) !== undefined;
    this.#receiveOne(message, undefined, undefined);
    return isWaiting ? "received" : "late";
  }

  /** Refuses a batch. Rejects this side's requests whose answers are in it, since no other answers follow. */
  #refuseBatch({ items }: ClassifiedBatch, reason: string): void {
    for (const item of items) {
      const waiting = this.#waitingFor(item);
      waiting?.reject(new SdkError("invalid-message", `The answer to ${waiting.name} is not valid: ${reason}`));
    }
    this.#refuse(undefined, reason, undefined);
  }

  /** The pending request that a message answers, or was most likely meant to answer. */
  #waitingFor(message: ClassifiedMessage): PendingRequest | undefined {
    const { kind } = message;
    const isAnswer = kind === "result" || kind === "error" || (kind === "invalid" && MAY_ANSWER.has(message.meantAs));
    return isAnswer && message.id !== undefined ? this.pending.find(message.id) : undefined;
  }

  #receiveInvalid(invalid: InvalidMessage, responder: Responder | undefined): void {
    const { id, meantAs, reason } = invalid;
    const waiting = this.#waitingFor(invalid);
    if (waiting !== undefined) {
      waiting.reject(new SdkError("invalid-message", `The answer to ${waiting.name} is not valid: ${reason}`));
    } else if (meantAs === "request" || meantAs === "unclear") {
      this.#refuse(id, reason, responder);
    } else {
      this.#reportInvalid(reason);
    }
  }

  #refuse(id: RequestId | undefined, reason: string, responder: Responder | undefined): void {
    this.#reportInvalid(reason);
    if (this.receiver.refusesRequests === true) return;
    responder?.expect();
    const answer = errorAnswer(id, ErrorCode.invalidRequest, `Invalid request: ${reason}`);
    this.sendError(answer, "an invalid message", responder);
  }

  #reportInvalid(reason: string): void {
    this.report(new SdkError("invalid-message", `The peer sent an invalid message: ${reason}`));
  }

  receiveUnparsable(error: Error, answers?: RequestId): void {
    if (this.isClosed) return;
    if (error instanceof SdkError) {
      const waiting = answers === undefined ? undefined : this.pending.find(answers);
      if (waiting) waiting.reject(new SdkError(error.code, `The answer to ${waiting.name} is lost: ${error.message}`));
      else this.report(error);
      return;
    }
    this.report(new SdkError("invalid-message", "The peer sent what cannot be read as a message", { cause: error }));
    if (this.receiver.refusesRequests === true) return;
    const { code, message } = error instanceof ProtocolError ? error : PARSE_ERROR;
    this.sendError(errorAnswer(undefined, code, message), "an unreadable message", undefined);
  }

  closed(error?: Error): void {
    if (this.isClosed) return;
    if (error !== undefined)
      this.report(new SdkError("connection-closed", "The connection was lost", { cause: error }));
    this.end(error);
  }

  #sendAnswers(answers: readonly JsonRpcAnswer[]): void {
    this.#sendArray(answers, (cause) => {
      if (this.isClosed) return;
      this.report(new SdkError("handler-failed", "The answers to a batch could not be sent together", { cause }));
      // One unserializable result must not cost the other requests their answers.
      this.#sendArray(answers.map(serializable), (again) => this.report(sendFailure("A batch of answers", again)));
    });
  }

  #sendArray(messages: readonly JsonRpcMessage[], onFailure: (cause: unknown) => void): void {
    try {
      const sent = this.#transport.send(messages);
      if (isPromiseLike(sent)) Promise.resolve(sent).catch(onFailure);
    } catch (cause) {
      onFailure(cause);
    }
  }
}

const PARSE_ERROR = new ProtocolError(ErrorCode.parseError, "Parse error: the bytes are not a JSON text");

function serializable(answer: JsonRpcAnswer): JsonRpcAnswer {
  try {
    serializeJson(answer);
    return answer;
  } catch {
    return internalError(answer.id);
  }
}
