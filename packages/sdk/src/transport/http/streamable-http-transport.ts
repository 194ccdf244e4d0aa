/**
 * The client of Streamable HTTP, for both eras: each message is a POST, and its HTTP response carries the answer. The `_meta`
 * of a message decides its era; `initialize` opens a legacy session with its standalone stream. post-response.ts reads
 * responses, resumable-stream.ts resumes streams.
 */
import { SdkError } from "../../errors/sdk-error.js";
import { HttpHeader } from "../../protocol/http-headers.js";
import { createErrorCallback } from "../../runtime/error-callback.js";
import { TransientMap } from "../../runtime/transient-map.js";
import type { JsonLimits } from "../../wire/json-limits.js";
import type { JsonRpcMessage, JsonRpcNotification, RequestId } from "../../wire/json-rpc.js";
import { correlationKey, isRequestId } from "../../wire/json-rpc.js";
import { serializeJson } from "../../wire/json-text.js";
import type { SendOptions, Transport, TransportReceiver } from "../transport.js";
import { DEFAULT_MAX_MESSAGE_BYTES } from "../transport.js";
import { AnswerRetries } from "./answer-retries.js";
import type { CallController } from "./call-controller.js";
import { reportHolds } from "./call-controller.js";
import { EndpointClient, type HeaderFields } from "./endpoint-client.js";
import type { HttpAnswer } from "./http-call.js";
import { DEFAULT_ACCEPT_TIMEOUT_MS, DEFAULT_CLOSE_TIMEOUT_MS, type HttpClientOptions } from "./http-client-options.js";
import { asSdkError, HttpError, isSessionExpired, unanswered } from "./http-error.js";
import { HttpSession } from "./http-session.js";
import { InFlightPost } from "./in-flight-post.js";
import { isBatch, methodOf, modernHeaders, modernRevisionOf } from "./message-headers.js";
import { EVENT_STREAM_TYPE, JSON_TYPE, type PostReader, readResponse } from "./post-response.js";
import { ReconnectDelay } from "./reconnect-delay.js";
import { ResumableStream } from "./resumable-stream.js";
import { endSession, openStream } from "./session-calls.js";
import { type TimeLimit, timeLimit } from "./time-limit.js";

const CANCELLED = "notifications/cancelled";
/** Longest time that a cancellation waits for its request to leave. */
const MAX_HOLD_MS = 250;
const POST_HEADERS: HeaderFields = { "content-type": JSON_TYPE, accept: `${JSON_TYPE}, ${EVENT_STREAM_TYPE}` };

export class StreamableHttpTransport implements Transport, PostReader {
  readonly endpoint: EndpointClient;
  readonly maxMessageBytes: number;
  readonly jsonLimits: JsonLimits;
  readonly receive: (message: unknown) => void;
  readonly #options: HttpClientOptions;
  readonly #delay: ReconnectDelay;
  readonly #answers: AnswerRetries;
  readonly #report: (error: Error) => void;
  /** Requests in flight, by id. */
  readonly #requests = new TransientMap<RequestId, InFlightPost>();
  /** POSTs in flight. */
  readonly #posts = new TransientMap<InFlightPost, true>();
  #receiver: TransportReceiver | undefined;
  #session = new HttpSession();
  /** The revision of the last modern request. Notifications are sent under it, since they carry none. */
  #modernRevision: string | undefined;
  #closing: Promise<void> | undefined;

  /** @throws {SdkError} `invalid-argument` for a URL that is not http(s) or carries credentials. */
  constructor(url: string | URL, options: HttpClientOptions = {}) {
    this.endpoint = new EndpointClient(url, options);
    this.jsonLimits = options;
    this.maxMessageBytes = options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
    this.receive = (message) => {
      if (this.#closing === undefined) this.#receiver?.receive(message);
    };
    this.#options = options;
    this.#delay = new ReconnectDelay(options.streams);
    this.#answers = new AnswerRetries(this.#delay);
    this.#report = createErrorCallback(options.onError);
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
  }

  /** For a request, resolves after its response was received. Rejects if the HTTP response ends without it. */
  send(message: JsonRpcMessage | readonly JsonRpcMessage[], options: SendOptions = {}): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(closed());
    const method = methodOf(message);
    // A single call with that method, which has no id: a notification.
    if (method === CANCELLED) return this.#cancel(message as JsonRpcNotification, options);
    const session = this.#session;
    const isAnswer = method === undefined && !isBatch(message);
    if (!isAnswer || session.id === undefined) return this.#post(message, options);
    return this.#answers.send(message, session, () => this.#post(message, options, session));
  }

  delayCause(id: RequestId): Error | undefined {
    return this.#requests.get(correlationKey(id))?.delayCause;
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** Runs synchronously up to the first `await`, so headers are computed in the order of the messages. */
  async #post(
    message: JsonRpcMessage | readonly JsonRpcMessage[],
    options: SendOptions,
    inSession?: HttpSession,
  ): Promise<void> {
    const body = serializeJson(message);
    const single = isBatch(message) ? undefined : message;
    const method = methodOf(message);
    if (method === "initialize") this.#newSession();
    const revision = single && inSession === undefined ? this.#revisionFor(single) : undefined;
    const posted = new InFlightPost(message, {
      isModern: revision !== undefined,
      session: inSession ?? this.#session,
      isOpening: method === "initialize",
    });
    const own = single && revision ? modernHeaders(revision, single) : posted.session.headers;
    const ids = posted.awaited.ids;
    if (this.#options.authorization !== undefined) reportHolds(posted.controller, ids, () => this.#receiver);
    const limit = ids.length === 0 ? this.#acceptLimit(posted) : undefined;
    this.#posts.set(posted, true);
    for (const id of ids) this.#requests.set(correlationKey(id), posted);
    try {
      const layers = [options.headers, POST_HEADERS, own];
      const told = { name: posted.nameAt(this.endpoint), own: options.connectionHeaders };
      const answer = await this.endpoint.call("POST", layers, posted.controller, body, told);
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

  /** The revision of a modern message; undefined for a legacy one. */
  #revisionFor(message: JsonRpcMessage): string | undefined {
    const own = modernRevisionOf(message);
    if (own !== undefined) this.#modernRevision = own;
    return own ?? this.#impliedRevision;
  }

  /** The revision of messages that carry none. */
  get #impliedRevision(): string | undefined {
    return this.#session.revision === undefined ? this.#modernRevision : undefined;
  }

  #newSession(): void {
    this.#session.streams.abort(closed());
    this.#session = new HttpSession();
    this.#modernRevision = undefined;
  }

  /** Compares by identity: a later request may have the same id. */
  #forget(id: RequestId, posted: InFlightPost): void {
    const key = correlationKey(id);
    if (this.#requests.get(key) === posted) this.#requests.delete(key);
  }

  #acceptLimit(posted: InFlightPost): TimeLimit {
    const ms = this.#options.acceptTimeoutMs ?? DEFAULT_ACCEPT_TIMEOUT_MS;
    const late = `${posted.nameAt(this.endpoint)}: the server did not accept a message within ${ms} ms; acceptTimeoutMs allows more`;
    return timeLimit(ms, late, posted.controller);
  }

  /** A modern request is cancelled by closing its response, a legacy one by `notifications/cancelled`. */
  async #cancel(message: JsonRpcNotification, options: SendOptions): Promise<void> {
    const id = message.params?.requestId;
    const posted = isRequestId(id) ? this.#requests.get(correlationKey(id)) : undefined;
    if (posted === undefined || !isRequestId(id)) {
      if (this.#impliedRevision === undefined) await this.#post(message, options);
      return;
    }
    posted.cancel(id);
    const reason = new SdkError("request-aborted", "The request was cancelled");
    if (posted.isModern) {
      posted.controller.abort(reason);
      return;
    }
    try {
      // On another connection the notification could overtake its request, which the server would not know yet.
      await posted.sentWithin(MAX_HOLD_MS);
      if (this.#closing !== undefined) throw closed();
      await this.#post(message, options, posted.session);
    } finally {
      const stillRuns = posted.isCancelled && this.#posts.has(posted);
      if (stillRuns) posted.endWithin(this.#options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS, reason);
    }
  }

  follow(posted: InFlightPost, answer: HttpAnswer): Promise<void> {
    const { controller, session } = posted;
    const stream = new ResumableStream({
      ...this.#streamOptions(session, controller),
      name: posted.nameAt(this.endpoint),
      outlivesServer: false,
      onLoss: (loss) => {
        posted.delayCause = loss;
      },
      mayResume: (lastEventId) => lastEventId !== undefined && !posted.isModern && !posted.isCancelled,
      mayStartOver: false,
      take: (message) => posted.take(message, this.receive),
    });
    return stream.follow(answer).catch((error: unknown) => {
      // The server has begun to serve the request, so the error must not suggest to retry.
      const name = posted.nameAt(this.endpoint);
      if (isSessionExpired(error)) throw unanswered(name, "the stream was lost with its session", error);
      if (!(error instanceof HttpError)) throw error;
      throw unanswered(name, "the stream was lost, and the server refuses to resume it", error, error.status);
    });
  }

  #openStandaloneStream(session: HttpSession): void {
    const { streams } = session;
    const name = this.endpoint.name("GET");
    const stream = new ResumableStream({
      ...this.#streamOptions(session, streams),
      name,
      outlivesServer: true,
      mayResume: () => true,
      mayStartOver: true,
      take: (message) => {
        this.receive(message);
        return false;
      },
    });
    stream.follow().catch((error: unknown) => {
      // The standalone stream is optional. Without a session, 404 also means that there is none.
      const absent = session.id === undefined ? [404, 405] : [405];
      if (streams.isAborted || (error instanceof HttpError && absent.includes(error.status))) return;
      this.#report(asSdkError("stream-ended", `${name}: the stream failed`, error));
    });
  }

  #streamOptions(session: HttpSession, controller: CallController) {
    return {
      maxMessageBytes: this.maxMessageBytes,
      jsonLimits: this.jsonLimits,
      delay: this.#delay,
      signal: controller.signal,
      open: (lastEventId: string | undefined) => {
        const resume = lastEventId === undefined ? undefined : { [HttpHeader.lastEventId]: lastEventId };
        return openStream(this.endpoint, [session.headers, resume], controller);
      },
      report: this.#report,
    };
  }

  /** Aborts all POSTs in flight without calling the receiver. */
  stop(): void {
    for (const posted of this.#posts.keys()) posted.controller.abort(closed());
    this.#session.streams.abort(closed());
  }

  async #shutDown(): Promise<void> {
    this.stop();
    const timeoutMs = this.#options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS;
    try {
      await endSession(this.endpoint, this.#session, timeoutMs);
    } catch (error) {
      const failure = asSdkError("http-error", "The session could not be ended", error);
      // A server that cannot be reached has ended the session, or ends it when it is idle.
      if (failure.code !== "connection-closed") this.#report(failure);
    }
    this.#receiver?.closed();
  }
}

function closed(): SdkError {
  return new SdkError("connection-closed", "The connection is closed");
}
