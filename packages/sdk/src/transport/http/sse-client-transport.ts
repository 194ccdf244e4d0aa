/**
 * The HTTP+SSE transport of 2024-11-05. One event stream carries all messages of the server; its first event names the URL
 * for the client's POSTs. A lost stream is a lost connection: nothing is resumed.
 */
import { SdkError } from "../../errors/sdk-error.js";
import { createErrorCallback } from "../../runtime/error-callback.js";
import type { JsonRpcMessage } from "../../wire/json-rpc.js";
import { parseJson, serializeJson } from "../../wire/json-text.js";
import { type DecodedEvent, SseDecoder } from "../../wire/sse-decoder.js";
import type { SendOptions, Transport, TransportReceiver } from "../transport.js";
import { DEFAULT_MAX_MESSAGE_BYTES } from "../transport.js";
import { CallController, reportHolds } from "./call-controller.js";
import { EndpointClient } from "./endpoint-client.js";
import type { HttpAnswer } from "./http-call.js";
import { DEFAULT_ACCEPT_TIMEOUT_MS, type HttpClientOptions } from "./http-client-options.js";
import { asSdkError, refusal } from "./http-error.js";
import { HttpSession } from "./http-session.js";
import { InFlightPost } from "./in-flight-post.js";
import { methodOf } from "./message-headers.js";
import { PendingResponses } from "./pending-responses.js";
import { isSuccess, JSON_TYPE } from "./post-response.js";
import { openStream } from "./session-calls.js";
import { timeLimit } from "./time-limit.js";

export class SseClientTransport implements Transport {
  readonly #stream: EndpointClient;
  readonly #options: HttpClientOptions;
  readonly #acceptTimeoutMs: number;
  readonly #report: (error: Error) => void;
  readonly #controller = new CallController();
  readonly #posts = new Set<CallController>();
  #session = new HttpSession();
  #receiver: TransportReceiver | undefined;
  /** The URL for POSTs, from the `endpoint` event. */
  #messages: EndpointClient | undefined;
  /** The pending `initialize`, whose response names the revision. */
  #opening: InFlightPost | undefined;

  /** @throws {SdkError} `invalid-argument` for a URL that is not http(s) or carries credentials. */
  constructor(url: string | URL, options: HttpClientOptions = {}) {
    this.#stream = new EndpointClient(url, options);
    this.#options = options;
    this.#acceptTimeoutMs = options.acceptTimeoutMs ?? DEFAULT_ACCEPT_TIMEOUT_MS;
    this.#report = createErrorCallback(options.onError);
  }

  /** Opens the stream and waits for the `endpoint` event. */
  async start(receiver: TransportReceiver): Promise<void> {
    const late = `${this.#stream.name("GET")}: no endpoint event within ${this.#acceptTimeoutMs} ms; acceptTimeoutMs allows more`;
    const limit = timeLimit(this.#acceptTimeoutMs, late, this.#controller);
    try {
      const events = this.#events(await openStream(this.#stream, [], this.#controller));
      this.#messages = await this.#findEndpoint(events);
      this.#receiver = receiver;
      void this.#deliver(events);
    } catch (error) {
      this.#controller.abort(error);
      throw error;
    } finally {
      limit.end();
    }
  }

  async send(message: JsonRpcMessage | readonly JsonRpcMessage[], { headers }: SendOptions = {}): Promise<void> {
    const endpoint = this.#messages;
    if (endpoint === undefined || this.#controller.isAborted) throw closed();
    const body = serializeJson(message);
    if (methodOf(message) === "initialize") this.#openSession(message);
    const name = endpoint.name("POST");
    const late = `${name}: the server did not accept a message within ${this.#acceptTimeoutMs} ms; acceptTimeoutMs allows more`;
    const controller = new CallController();
    const { ids } = new PendingResponses(message);
    if (this.#options.authorization !== undefined) reportHolds(controller, ids, () => this.#receiver);
    this.#posts.add(controller);
    const limit = timeLimit(this.#acceptTimeoutMs, late, controller);
    try {
      const layers = [headers, { "content-type": JSON_TYPE }, this.#session.headers];
      const answer = await endpoint.call("POST", layers, controller, body);
      if (!isSuccess(answer)) throw await refusal(name, endpoint.url, answer);
      answer.discard();
    } finally {
      limit.end();
      this.#posts.delete(controller);
    }
  }

  close(): void {
    this.#end();
  }

  #openSession(message: JsonRpcMessage | readonly JsonRpcMessage[]): void {
    this.#session = new HttpSession();
    this.#opening = new InFlightPost(message, {
      isModern: false,
      session: this.#session,
      isOpening: true,
    });
  }

  async *#events(answer: HttpAnswer): AsyncGenerator<DecodedEvent, undefined> {
    const decoder = new SseDecoder(this.#options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES);
    let failure: unknown;
    try {
      for await (const chunk of answer.chunks()) yield* decoder.decode(chunk);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      answer.discard(failure);
    }
  }

  async #findEndpoint(events: AsyncGenerator<DecodedEvent, undefined>): Promise<EndpointClient> {
    for (;;) {
      const { value } = await events.next();
      if (value === undefined) throw this.#lost("ended before the endpoint event", undefined);
      if (value.type === "endpoint") return this.#endpointAt(value.data);
    }
  }

  /** An endpoint on another origin is refused: it would receive messages and credentials. */
  #endpointAt(given: string): EndpointClient {
    const { origin, href } = this.#stream.url;
    const url = URL.canParse(given, href) ? new URL(given, href) : undefined;
    if (url?.origin === origin) return new EndpointClient(url, this.#options, this.#stream.url);
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
    if (type !== "message" || this.#controller.isAborted) return;
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

  /** The first reason to close wins. */
  #end(error?: SdkError): void {
    if (this.#controller.isAborted) return;
    const reason = error ?? closed();
    this.#controller.abort(reason);
    for (const post of this.#posts) post.abort(reason);
    this.#receiver?.closed(error);
  }
}

function closed(): SdkError {
  return new SdkError("connection-closed", "The connection is closed");
}
