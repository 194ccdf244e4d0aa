/**
 * A connection to a client that speaks in POSTs. An answer goes to the response that waits for it, what relates to a
 * request goes along, and everything else to the stream that belongs to none.
 */

import { TransientMap } from "../../../runtime/transient-map.js";
import type { Caller } from "../../../transport/caller.js";
import type { SendOptions, Transport, TransportReceiver } from "../../../transport/transport.js";
import type { JsonRpcMessage, JsonRpcRequest, RequestId } from "../../../wire/json-rpc.js";
import { correlationKey } from "../../../wire/request-id.js";
import type { HttpRefusal } from "../http-refusal.js";
import { cancelledId, EarlyCancellations } from "./early-cancellations.js";
import { type EventStream, outgoing } from "./event-stream.js";
import type { Exchange, PostExchange } from "./post-exchange.js";
import { errorText, type Posted } from "./posted-messages.js";
import { sessionEnded } from "./refusals.js";

/** A request that is being served. */
interface Served {
  readonly id: RequestId;
  readonly exchange: Exchange;
}

export class PostTransport implements Transport {
  readonly #unrelated: Pick<EventStream, "emit">;
  readonly #served = new TransientMap<RequestId, Served>();
  #early: EarlyCancellations | undefined;
  #receiver!: TransportReceiver;
  /** What a request hears that still runs when this closes. */
  farewell: () => HttpRefusal = sessionEnded;

  constructor(unrelated: Pick<EventStream, "emit">) {
    this.#unrelated = unrelated;
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
  }

  /** Delivers the messages of one POST, in order; its exchange gets the answers. */
  receivePosted(posted: readonly Posted[], caller: Caller | undefined, exchange: PostExchange): void {
    for (const item of posted) {
      if (item.kind === "other") {
        this.#noteCancellation(item.message);
        this.#receiver.receive(item.message, caller);
      } else if (item.kind === "error") {
        void exchange.addAnswer(item.text);
      } else if (this.#find(item.request.id)) {
        const reason = `a request with id ${JSON.stringify(item.request.id)} is still being served`;
        void exchange.addAnswer(errorText({ id: item.request.id, reason }));
      } else {
        exchange.expect();
        if (this.#early?.take(item.request.id)) exchange.skip();
        else this.receiveRequest(item.request, caller, exchange);
      }
    }
    exchange.allRead();
  }

  /** Delivers a request, whose answer the exchange gets. Its id must not be that of one being served. */
  receiveRequest(request: JsonRpcRequest, caller: Caller | undefined, exchange: Exchange): void {
    this.#served.set(correlationKey(request.id), { id: request.id, exchange });
    this.#receiver.receive(request, caller);
  }

  send(message: JsonRpcMessage | readonly JsonRpcMessage[], options?: SendOptions): void | Promise<void> {
    if (isBatch(message)) return Promise.all(message.map((item) => this.send(item, options))).then(() => undefined);
    // Serialized first: if that fails, the exchange goes on waiting for an answer that can be.
    const text = outgoing(message);
    if ("method" in message) {
      const exchange = options?.relatedTo === undefined ? undefined : this.#find(options.relatedTo);
      return (exchange ?? this.#unrelated).emit(text);
    }
    return this.#take(message.id)?.answer(text, message);
  }

  unanswered(id: RequestId): void {
    this.#take(id)?.skip();
  }

  close(): void {
    if (this.#served.size === 0) return;
    const idsOf = new Map<Exchange, RequestId[]>();
    for (const { id, exchange } of this.#served.values()) idsOf.set(exchange, [...(idsOf.get(exchange) ?? []), id]);
    this.#served.clear();
    for (const [exchange, ids] of idsOf) exchange.abort(this.farewell(), ids);
  }

  #noteCancellation(message: unknown): void {
    const id = cancelledId(message);
    if (id === undefined || this.#find(id)) return;
    this.#early ??= new EarlyCancellations();
    this.#early.note(id);
  }

  #find(id: RequestId): Exchange | undefined {
    return this.#served.get(correlationKey(id))?.exchange;
  }

  #take(id: RequestId | undefined): Exchange | undefined {
    if (id === undefined) return undefined;
    const exchange = this.#find(id);
    this.#served.delete(correlationKey(id));
    return exchange;
  }
}

function isBatch(message: JsonRpcMessage | readonly JsonRpcMessage[]): message is readonly JsonRpcMessage[] {
  return Array.isArray(message);
}
