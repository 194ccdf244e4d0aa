/**
 * Streamable HTTP as a client speaks it, in both eras: each message is a POST, and its response brings the answer. The
 * era of a message is read off the message; a legacy session, with its standalone stream, is what `initialize` opens.
 * How responses are read is in post-response.ts, how streams outlive their connections in event-stream.ts.
 */
import { SdkError } from "../../errors/sdk-error.js";
import { HttpHeader } from "../../protocol/http-headers.js";
import { createErrorCallback } from "../../runtime/error-callback.js";
import { TransientMap } from "../../runtime/transient-map.js";
import type { JsonLimits } from "../../wire/json-limits.js";
import type { JsonRpcMessage, JsonRpcNotification, RequestId } from "../../wire/json-rpc.js";
import { serializeJson } from "../../wire/json-text.js";
import { correlationKey, isRequestId } from "../../wire/request-id.js";
import { DEFAULT_MAX_MESSAGE_BYTES } from "../message-limit.js";
import type { SendOptions, Transport, TransportReceiver } from "../transport.js";
import type { CallHandle } from "./call-handle.js";
import { EventStream } from "./event-stream.js";
import { watchHolds } from "./held-requests.js";
import type { HttpAnswer } from "./http-call.js";
import { type HeaderFields, HttpEndpoint } from "./http-endpoint.js";
import { asSdkError, HttpError, isSessionExpired, unanswered } from "./http-error.js";
import { DEFAULT_ACCEPT_TIMEOUT_MS, DEFAULT_CLOSE_TIMEOUT_MS, type HttpOptions } from "./http-options.js";
import { LegacySession } from "./legacy-session.js";
import { isBatch, methodOf, modernHeaders, modernRevisionOf } from "./message-headers.js";
import { EVENT_STREAM_TYPE, JSON_TYPE, type PostReader, readResponse } from "./post-response.js";
import { PostedMessage } from "./posted-message.js";
import { ReconnectDelay } from "./reconnect-delay.js";
import { endSession, openStream } from "./session-calls.js";
import { type TimeLimit, timeLimit } from "./time-limit.js";

const CANCELLED = "notifications/cancelled";
/** How long a cancellation waits for its request to leave. */
const MAX_HOLD_MS = 250;
const POST_HEADERS: HeaderFields = { "content-type": JSON_TYPE, accept: `${JSON_TYPE}, ${EVENT_STREAM_TYPE}` };

export class StreamableHttpTransport implements Transport, PostReader {
  readonly endpoint: HttpEndpoint;
  readonly maxMessageBytes: number;
  readonly jsonLimits: JsonLimits;
  readonly receive: (message: unknown) => void;
  readonly #options: HttpOptions;
  readonly #delay: ReconnectDelay;
  readonly #report: (error: Error) => void;
  /** Requests under way, by id. */
  readonly #requests = new TransientMap<RequestId, PostedMessage>();
  /** All that is under way, as the keys. */
  readonly #posts = new TransientMap<PostedMessage, true>();
  #receiver: TransportReceiver | undefined;
  #session = new LegacySession();
  /** The revision of the last modern request, for notifications, which do not carry it. */
  #modernRevision: string | undefined;
  #closing: Promise<void> | undefined;

  /** @throws {SdkError} `invalid-argument` for a URL that is not http(s) or carries credentials. */
  constructor(url: string | URL, options: HttpOptions = {}) {
    this.endpoint = new HttpEndpoint(url, options);
    this.jsonLimits = options;
    this.maxMessageBytes = options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
    this.receive = (message) => {
      if (this.#closing === undefined) this.#receiver?.receive(message);
    };
    this.#options = options;
    this.#delay = new ReconnectDelay(options.streams);
    this.#report = createErrorCallback(options.onError);
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
  }

  /** A request is sent when its answer has been handed on: it rejects if the response ends without one. */
  send(message: JsonRpcMessage | readonly JsonRpcMessage[], options: SendOptions = {}): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    return methodOf(message) === CANCELLED
      ? // A single call with that method, which has no id: a notification.
        this.#cancel(message as JsonRpcNotification, options)
      : this.#post(message, options);
  }

  troubleWith(id: RequestId): Error | undefined {
    return this.#requests.get(correlationKey(id))?.trouble;
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** Everything up to the first `await` of the call happens at once: headers follow the order of the messages. */
  async #post(
    message: JsonRpcMessage | readonly JsonRpcMessage[],
    options: SendOptions,
    inSession?: LegacySession,
  ): Promise<void> {
    const body = serializeJson(message);
    const single = isBatch(message) ? undefined : message;
    const method = methodOf(message);
    if (method === "initialize") this.#newSession();
    const revision = single && inSession === undefined ? this.#revisionFor(single) : undefined;
    const posted = new PostedMessage(message, {
      isModern: revision !== undefined,
      session: inSession ?? this.#session,
      isOpening: method === "initialize",
    });
    const own = single && revision ? modernHeaders(revision, single) : posted.session.headers;
    const ids = posted.awaited.ids;
    if (this.#options.authorization !== undefined) watchHolds(posted.handle, ids, () => this.#receiver);
    const limit = ids.length === 0 ? this.#acceptLimit(posted) : undefined;
    this.#posts.set(posted, true);
    for (const id of ids) this.#requests.set(correlationKey(id), posted);
    try {
      const layers = [options.headers, POST_HEADERS, own];
      const told = { name: posted.nameAt(this.endpoint), own: options.connectionHeaders };
      const answer = await this.endpoint.call("POST", layers, posted.handle, body, told);
      await readResponse(this, posted, answer);
    } catch (error) {
      if (!posted.isCancelled) throw error;
    } finally {
      limit?.end();
      posted.ended();
      this.#posts.delete(posted);
      for (const id of ids) this.#forget(id, posted);
    }
    if (method === "notifications/initialized") this.#openStandaloneStream(posted.session);
  }

  /** The modern revision a message is sent under; undefined for legacy ones. */
  #revisionFor(message: JsonRpcMessage): string | undefined {
    const own = modernRevisionOf(message);
    if (own !== undefined) this.#modernRevision = own;
    return own ?? this.#impliedRevision;
  }

  /** What messages are sent under that do not say so themselves. */
  get #impliedRevision(): string | undefined {
    return this.#session.revision === undefined ? this.#modernRevision : undefined;
  }

  #newSession(): void {
    this.#session.streams.end(closed());
    this.#session = new LegacySession();
    this.#modernRevision = undefined;
  }

  /** By identity: a successor may have the id already. */
  #forget(id: RequestId, posted: PostedMessage): void {
    const key = correlationKey(id);
    if (this.#requests.get(key) === posted) this.#requests.delete(key);
  }

  #acceptLimit(posted: PostedMessage): TimeLimit {
    const ms = this.#options.acceptTimeoutMs ?? DEFAULT_ACCEPT_TIMEOUT_MS;
    const late = `${posted.nameAt(this.endpoint)}: the server did not accept a message within ${ms} ms; acceptTimeoutMs allows more`;
    return timeLimit(ms, late, posted.handle);
  }

  /** Closing its response is what cancels a modern request; a legacy one is cancelled by the message. */
  async #cancel(message: JsonRpcNotification, options: SendOptions): Promise<void> {
    const id = message.params?.requestId;
    const posted = isRequestId(id) ? this.#requests.get(correlationKey(id)) : undefined;
    if (posted === undefined || !isRequestId(id)) {
      if (this.#impliedRevision === undefined) await this.#post(message, options);
      return;
    }
    this.#forget(id, posted);
    posted.cancel(id);
    const reason = new SdkError("request-aborted", "The request was cancelled");
    if (posted.isModern) {
      posted.handle.end(reason);
      return;
    }
    try {
      // On a connection of its own it could overtake the request, and the server would not know what to cancel.
      await posted.sentWithin(MAX_HOLD_MS);
      if (this.#closing !== undefined) throw closed();
      await this.#post(message, options, posted.session);
    } finally {
      const stillRuns = posted.isCancelled && this.#posts.has(posted);
      if (stillRuns) posted.endWithin(this.#options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS, reason);
    }
  }

  follow(posted: PostedMessage, answer: HttpAnswer): Promise<void> {
    const { handle, session } = posted;
    const stream = new EventStream({
      ...this.#streamOptions(session, handle),
      name: posted.nameAt(this.endpoint),
      outlivesServer: false,
      onLoss: (loss) => {
        posted.trouble = loss;
      },
      mayResume: (lastEventId) => lastEventId !== undefined && !posted.isModern && !posted.isCancelled,
      mayBeginAnew: false,
      take: (message) => posted.take(message, this.receive),
    });
    return stream.follow(answer).catch((error: unknown) => {
      if (!isSessionExpired(error)) throw error;
      // The server has begun to serve it, so it must not look like a request that can be sent again.
      throw unanswered(posted.nameAt(this.endpoint), "the stream was lost with its session", error);
    });
  }

  #openStandaloneStream(session: LegacySession): void {
    const { streams } = session;
    const name = this.endpoint.name("GET");
    const stream = new EventStream({
      ...this.#streamOptions(session, streams),
      name,
      outlivesServer: true,
      mayResume: () => true,
      mayBeginAnew: true,
      take: (message) => {
        this.receive(message);
        return false;
      },
    });
    stream.follow().catch((error: unknown) => {
      // A server need not have such a stream; without sessions a 404 says no more than that.
      const absent = session.id === undefined ? [404, 405] : [405];
      if (streams.hasEnded || (error instanceof HttpError && absent.includes(error.status))) return;
      this.#report(asSdkError("stream-ended", `${name}: the stream failed`, error));
    });
  }

  #streamOptions(session: LegacySession, handle: CallHandle) {
    return {
      maxMessageBytes: this.maxMessageBytes,
      jsonLimits: this.jsonLimits,
      delay: this.#delay,
      signal: handle.signal,
      open: (lastEventId: string | undefined) => {
        const resume = lastEventId === undefined ? undefined : { [HttpHeader.lastEventId]: lastEventId };
        return openStream(this.endpoint, [session.headers, resume], handle);
      },
      report: this.#report,
    };
  }

  /** Ends all that is under way without a word to the receiver. */
  stop(): void {
    for (const posted of this.#posts.keys()) posted.handle.end(closed());
    this.#session.streams.end(closed());
  }

  async #shutDown(): Promise<void> {
    this.stop();
    const timeoutMs = this.#options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS;
    try {
      await endSession(this.endpoint, this.#session, timeoutMs);
    } catch (error) {
      this.#report(asSdkError("http-error", "The session could not be ended", error));
    }
    this.#receiver?.closed();
  }
}

function closed(): SdkError {
  return new SdkError("connection-closed", "The connection is closed");
}
