/** A peer that speaks whatever it is told to, for what a dispatcher would never send. */

import type { JsonObject } from "../../runtime/json.js";
import { createMemoryTransports, type MemoryTransport } from "../../transport/memory-transport.js";
import type { DispatcherOptions, InboundRequest, Receiver } from "../dispatcher.js";
import { JsonRpcDispatcher } from "../json-rpc-dispatcher.js";
import { everythingDelivered } from "./connection.fixture.js";

export interface RawConnection extends AsyncDisposable {
  readonly dispatcher: JsonRpcDispatcher;
  readonly peer: MemoryTransport;
  /** What the dispatcher sent, oldest first. */
  readonly received: unknown[];
  readonly errors: Error[];
  /** Sends a value as JSON text and waits until everything that follows from it has happened. */
  say(...values: unknown[]): Promise<void>;
}

/** A dispatcher whose handler, unless told otherwise, answers every request with its method. */
export async function connectRawPeer(
  receiver: Partial<Receiver> = {},
  options: DispatcherOptions = {},
): Promise<RawConnection> {
  const [end, peer] = createMemoryTransports();
  const received: unknown[] = [];
  const errors: Error[] = [];
  peer.start({
    receive: (message) => received.push(message),
    receiveUnparsable: (error) => errors.push(error),
    closed: () => undefined,
  });
  const request = ({ method }: InboundRequest): JsonObject => ({ method });
  const dispatcher = await JsonRpcDispatcher.start(
    end,
    () => ({ request, notification: () => undefined, ...receiver }),
    { onError: (error) => errors.push(error), ...options },
  );
  return {
    dispatcher,
    peer,
    received,
    errors,
    async say(...values) {
      for (const value of values) await peer.sendText(JSON.stringify(value));
      await everythingDelivered();
    },
    [Symbol.asyncDispose]: () => dispatcher.close(),
  };
}
