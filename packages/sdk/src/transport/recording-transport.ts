/** Wraps a transport and calls `onMessage` with every message. Messages are not changed. */
import type { JsonRpcMessage } from "../wire/json-rpc.js";
import type { SendOptions, Transport, TransportReceiver } from "./transport.js";

/** Called before a message is passed on. Received messages are not validated yet; an array is a batch. */
export type OnMessage = (direction: "sent" | "received", message: unknown) => void;

/**
 * Returns a transport that passes messages on, and calls `onMessage` with each one before.
 *
 * @example
 * const transport = recordTransport(new ChildProcessTransport({ command: "my-server" }), (direction, message) => {
 *   console.error(direction, JSON.stringify(message));
 * });
 * await using client = await Client.connect(transport, { name: "cli", version: "1.0.0" });
 */
export function recordTransport(transport: Transport, onMessage: OnMessage): Transport {
  return {
    ...(transport.carriesHeaders && { carriesHeaders: true }),
    ...(transport.delayCause && { delayCause: transport.delayCause.bind(transport) }),
    ...(transport.connectionHeaders && { connectionHeaders: transport.connectionHeaders.bind(transport) }),
    start(receiver: TransportReceiver) {
      return transport.start({
        receive(message, caller) {
          onMessage("received", message);
          receiver.receive(message, caller);
        },
        receiveUnparsable: (error, answers) => receiver.receiveUnparsable(error, answers),
        held: (id, until) => receiver.held?.(id, until),
        closed: (error) => receiver.closed(error),
      });
    },
    send(message: JsonRpcMessage | readonly JsonRpcMessage[], options?: SendOptions) {
      onMessage("sent", message);
      return transport.send(message, options);
    },
    unanswered: (id) => transport.unanswered?.(id),
    close: () => transport.close(),
  };
}
