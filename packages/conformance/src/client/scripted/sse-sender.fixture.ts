/** The HTTP+SSE of the scripted client: POSTs go to the endpoint of the stream, and answers come from the stream. */
import type { StreamEvent } from "../../wire/event-stream.js";
import { isRequest, isResponse, parseJson } from "../../wire/json-rpc.js";
import type { ClientFault, OutgoingCall } from "./client-fault.fixture.js";
import { type Incoming, Sender } from "./sender.fixture.js";

export class SseSender extends Sender {
  readonly #events: AsyncIterator<StreamEvent>;
  readonly #endpoint: URL;

  private constructor(fault: ClientFault, events: AsyncIterator<StreamEvent>, endpoint: URL) {
    super(fault);
    this.#events = events;
    this.#endpoint = endpoint;
  }

  /** Waits for the endpoint event. `opener` sends the GET. */
  static async open(url: URL, fault: ClientFault, opener: Sender): Promise<SseSender> {
    const incoming = await opener.send({ url, verb: "GET", headers: { accept: "text/event-stream" } });
    const events = incoming.events()[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await events.next();
      if (done) throw new Error("There is no endpoint event");
      if (value.event !== "endpoint" && opener.does("waits-for-endpoint-name")) continue;
      const endpoint = new URL(opener.does("resolves-endpoint") ? value.data : "/messages", url);
      if (endpoint.origin !== url.origin && opener.does("compares-endpoint-origin"))
        throw new Error(`The endpoint is at ${endpoint.origin}`);
      return new SseSender(fault, events, endpoint);
    }
  }

  protected override async transmit(call: OutgoingCall, signal?: AbortSignal): Promise<Incoming> {
    const { message, verb } = call;
    // There is no standalone stream.
    if (verb !== "POST") return { ...NOTHING, status: 405 };
    const accepted = await super.transmit({ ...call, url: this.#endpoint }, signal);
    await accepted.text();
    if (accepted.status >= 300) throw new Error(`The message was answered with ${accepted.status}`);
    if (!isRequest(message)) return NOTHING;
    return { ...NOTHING, status: 200, isStream: true, events: () => this.#until(message.id) };
  }

  /** The messages up to the answer with an id. */
  async *#until(id: unknown): AsyncIterable<StreamEvent> {
    for (;;) {
      const { value, done } = await this.#events.next();
      if (done) return;
      const message = parseJson(value.data);
      // Answers to the further requests of a fault.
      if (isResponse(message) && message.id !== id) continue;
      yield value;
      if (isResponse(message)) return;
    }
  }
}

const NOTHING: Incoming = {
  status: 202,
  headers: new Headers(),
  isStream: false,
  events: async function* () {},
  text: async () => "",
  close: () => undefined,
};
