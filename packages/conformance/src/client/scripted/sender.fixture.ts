/** The HTTP of the scripted client: every request passes its fault. `PipeSender` sends lines instead. */
import { EventStreamParser, type StreamEvent } from "../../wire/event-stream.js";
import type { ClientFault, Habit, OutgoingCall } from "./client-fault.fixture.js";

export interface Incoming {
  readonly status: number;
  readonly headers: Headers;
  readonly isStream: boolean;
  readonly text: () => Promise<string>;
  readonly events: () => AsyncIterable<StreamEvent>;
  readonly close: () => void;
}

/** The size at which the scripted client stops reading. */
const MAX_CHARACTERS = 512 * 1024;

export class Sender {
  protected readonly fault: ClientFault;
  readonly #open = new Set<AbortController>();

  constructor(fault: ClientFault) {
    this.fault = fault;
  }

  does(habit: Habit): boolean {
    return this.fault.off !== habit;
  }

  /** The response to the request, or to the first of those that the fault made of it. */
  async send(call: OutgoingCall, signal?: AbortSignal): Promise<Incoming> {
    const changed = this.fault.change ? this.fault.change(call) : call;
    if (changed === undefined) throw new Error("The fault keeps this request back");
    const [first, ...more] = Array.isArray(changed) ? (changed as OutgoingCall[]) : [changed as OutgoingCall];
    const incoming = await this.transmit(first as OutgoingCall, signal);
    for (const extra of more) await (await this.transmit(extra, signal)).text();
    return incoming;
  }

  async close(): Promise<void> {
    for (const controller of this.#open) controller.abort();
  }

  protected async transmit(
    { url, verb, headers, message, form }: OutgoingCall,
    signal?: AbortSignal,
  ): Promise<Incoming> {
    const controller = new AbortController();
    this.#open.add(controller);
    signal?.addEventListener("abort", () => controller.abort(), { once: true });
    const body = form ? new URLSearchParams(form).toString() : JSON.stringify(message);
    const type = form ? "application/x-www-form-urlencoded" : "application/json";
    const response = await fetch(url, {
      method: verb,
      redirect: "manual",
      headers: { ...(verb === "POST" ? { "content-type": type } : {}), ...headers },
      ...(verb === "POST" ? { body: body ?? "" } : {}),
      signal: controller.signal,
    });
    return {
      status: response.status,
      headers: response.headers,
      isStream: response.headers.get("content-type")?.startsWith("text/event-stream") ?? false,
      text: () => this.#text(response, controller),
      events: () => this.#events(response, controller),
      close: () => controller.abort(),
    };
  }

  async #text(response: Response, controller: AbortController): Promise<string> {
    let text = "";
    for await (const piece of this.#pieces(response, controller)) text += piece;
    return text;
  }

  async *#events(response: Response, controller: AbortController): AsyncIterable<StreamEvent> {
    const parser = new EventStreamParser();
    for await (const piece of this.#pieces(response, controller)) yield* parser.push(piece);
  }

  async *#pieces(response: Response, controller: AbortController): AsyncIterable<string> {
    const decoder = new TextDecoder();
    let text = "";
    let count = 0;
    for await (const chunk of response.body ?? []) {
      const piece = decoder.decode(chunk, { stream: true });
      count += piece.length;
      text = (text + piece).slice(-4096);
      if (this.fault.stumbles?.test(text)) throw new Error("The client cannot read this");
      if (count > MAX_CHARACTERS) {
        if (!this.does("limits-size")) continue;
        controller.abort();
        throw new Error("The response is too large");
      }
      yield piece;
    }
  }
}
