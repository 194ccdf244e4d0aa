/**
 * The HTTP+SSE transport of 2024-11-05: one event stream brings everything the server says, and its first event names
 * the URL that takes everything the client says. Nothing is resumed: a lost stream is a lost connection.
 */
import { SdkError } from "../../errors/sdk-error.js";
import { createErrorCallback } from "../../runtime/error-callback.js";
import type { JsonRpcMessage } from "../../wire/json-rpc.js";
import { parseJson, serializeJson } from "../../wire/json-text.js";
import { type DecodedEvent, SseDecoder } from "../../wire/sse-decoder.js";
import { DEFAULT_MAX_MESSAGE_BYTES } from "../message-limit.js";
import type { SendOptions, Transport, TransportReceiver } from "../transport.js";
import { AwaitedAnswers } from "./awaited-answers.js";
import { CallHandle } from "./call-handle.js";
import { watchHolds } from "./held-requests.js";
import type { HttpAnswer } from "./http-call.js";
import { HttpEndpoint } from "./http-endpoint.js";
import { asSdkError, refusal } from "./http-error.js";
import { DEFAULT_ACCEPT_TIMEOUT_MS, type HttpOptions } from "./http-options.js";
import { LegacySession } from "./legacy-session.js";
import { methodOf } from "./message-headers.js";
import { isSuccess, JSON_TYPE } from "./post-response.js";
import { PostedMessage } from "./posted-message.js";
import { openStream } from "./session-calls.js";
import { timeLimit } from "./time-limit.js";

export class SseClientTransport implements Transport {
  readonly #stream: HttpEndpoint;
  readonly #options: HttpOptions;
  readonly #acceptTimeoutMs: number;
  readonly #report: (error: Error) => void;
  readonly #handle = new CallHandle();
  readonly #posts = new Set<CallHandle>();
  #session = new LegacySession();
  #receiver: TransportReceiver | undefined;
  /** Where messages go, once the server has said so. */
  #messages: HttpEndpoint | undefined;
  /** The handshake while it waits for its answer, which names the revision. */
  #opening: PostedMessage | undefined;

  /** @throws {SdkError} `invalid-argument` for a URL that is not http(s) or carries credentials. */
  constructor(url: string | URL, options: HttpOptions = {}) {
    this.#stream = new HttpEndpoint(url, options);
    this.#options = options;
    this.#acceptTimeoutMs = options.acceptTimeoutMs ?? DEFAULT_ACCEPT_TIMEOUT_MS;
    this.#report = createErrorCallback(options.onError);
  }

  /** Opens the stream and waits until the server has said where to send messages to. */
  async start(receiver: TransportReceiver): Promise<void> {
    const late = `${this.#stream.name("GET")}: no endpoint event within ${this.#acceptTimeoutMs} ms; acceptTimeoutMs allows more`;
    const limit = timeLimit(this.#acceptTimeoutMs, late, this.#handle);
    try {
      const events = this.#events(await openStream(this.#stream, [], this.#handle));
      this.#messages = await this.#findEndpoint(events);
      this.#receiver = receiver;
      void this.#deliver(events);
    } catch (error) {
      this.#handle.end(error);
      throw error;
    } finally {
      limit.end();
    }
  }

  async send(message: JsonRpcMessage | readonly JsonRpcMessage[], { headers }: SendOptions = {}): Promise<void> {
    const endpoint = this.#messages;
    if (endpoint === undefined || this.#handle.hasEnded) throw closed();
    const body = serializeJson(message);
    if (methodOf(message) === "initialize") this.#openSession(message);
    const name = endpoint.name("POST");
    const late = `${name}: the server did not accept a message within ${this.#acceptTimeoutMs} ms; acceptTimeoutMs allows more`;
    const handle = new CallHandle();
    const { ids } = new AwaitedAnswers(message);
    if (this.#options.authorization !== undefined) watchHolds(handle, ids, () => this.#receiver);
    this.#posts.add(handle);
    const limit = timeLimit(this.#acceptTimeoutMs, late, handle);
    try {
      const layers = [headers, { "content-type": JSON_TYPE }, this.#session.headers];
      const answer = await endpoint.call("POST", layers, handle, body);
      if (!isSuccess(answer)) throw await refusal(name, endpoint.url, answer);
      answer.discard();
    } finally {
      limit.end();
      this.#posts.delete(handle);
    }
  }

  close(): void {
    this.#end();
  }

  #openSession(message: JsonRpcMessage | readonly JsonRpcMessage[]): void {
    this.#session = new LegacySession();
    this.#opening = new PostedMessage(message, {
      isModern: false,
      session: this.#session,
      isOpening: true,
    });
  }

  async *#events(answer: HttpAnswer): AsyncGenerator<DecodedEvent, undefined> {
    const decoder = new SseDecoder(this.#options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES);
    try {
      for await (const chunk of answer.chunks()) yield* decoder.decode(chunk);
    } finally {
      answer.discard();
    }
  }

  async #findEndpoint(events: AsyncGenerator<DecodedEvent, undefined>): Promise<HttpEndpoint> {
    for (;;) {
      const { value } = await events.next();
      if (value === undefined) throw this.#lost("ended before the endpoint event", undefined);
      if (value.type === "endpoint") return this.#endpointAt(value.data);
    }
  }

  /** Anywhere else than on the stream's own origin, messages and credentials would go to somebody else. */
  #endpointAt(given: string): HttpEndpoint {
    const { origin, href } = this.#stream.url;
    const url = URL.canParse(given, href) ? new URL(given, href) : undefined;
    if (url?.origin === origin) return new HttpEndpoint(url, this.#options, this.#stream.url);
    const message = `The server's endpoint event must name a URL of ${origin}, got ${JSON.stringify(given)}`;
    throw new SdkError("invalid-message", message);
  }

  async #deliver(events: AsyncGenerator<DecodedEvent, undefined>): Promise<void> {
    try {
      for await (const event of events) this.#take(event);
      this.#end(this.#lost("ended", undefined));
    } catch (error) {
      this.#end(this.#lost("was lost", error));
    }
  }

  #take({ type, data }: DecodedEvent): void {
    if (type !== "message" || this.#handle.hasEnded) return;
    const parsed = parseJson(data, this.#options);
    if (!parsed.ok) {
      const message = `${this.#stream.name("GET")}: an event is no message (${parsed.error.message})`;
      this.#report(new SdkError("invalid-message", message, { cause: parsed.error }));
      return;
    }
    const receive = (message: unknown) => this.#receiver?.receive(message);
    if (this.#opening === undefined) receive(parsed.value);
    else if (this.#opening.take(parsed.value, receive)) this.#opening = undefined;
  }

  #lost(how: string, cause: unknown): SdkError {
    return asSdkError("stream-ended", `${this.#stream.name("GET")}: the event stream ${how}`, cause);
  }

  /** Whoever ends it first, says why. */
  #end(error?: SdkError): void {
    if (this.#handle.hasEnded) return;
    const reason = error ?? closed();
    this.#handle.end(reason);
    for (const post of this.#posts) post.end(reason);
    this.#receiver?.closed(error);
  }
}

function closed(): SdkError {
  return new SdkError("connection-closed", "The connection is closed");
}
