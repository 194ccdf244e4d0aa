/** Two transports joined in one process. Every message passes as JSON text, as over a socket. */
import { SdkError } from "../errors/sdk-error.js";
import type { JsonRpcMessage } from "../wire/json-rpc.js";
import { parseJson } from "../wire/json-text.js";
import { serializeMessage } from "../wire/preserialized-json.js";
import { PipeEnd } from "./pipe.js";
import type { Transport, TransportReceiver } from "./transport.js";

export class MemoryTransport implements Transport {
  readonly #pipe: PipeEnd<string>;

  constructor(pipe: PipeEnd<string>) {
    this.#pipe = pipe;
  }

  start(receiver: TransportReceiver): void {
    this.#pipe.start({
      receive: (text) => {
        const parsed = parseJson(text);
        if (parsed.ok) receiver.receive(parsed.value);
        else receiver.receiveUnparsable(parsed.error);
      },
      closed: () => receiver.closed(),
    });
  }

  send(message: JsonRpcMessage | readonly JsonRpcMessage[]): void | Promise<void> {
    let text: string;
    try {
      text = serializeMessage(message);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.sendText(text);
  }

  /** Sends raw text, for tests with invalid messages. */
  sendText(text: string): void | Promise<void> {
    if (this.#pipe.send(text)) return undefined;
    return Promise.reject(new SdkError("connection-closed", "The in-memory connection is closed"));
  }

  close(): void {
    this.#pipe.close();
  }
}

/** Creates a connected pair. Messages wait until the other side has started. Closing either side closes both. */
export function createMemoryTransports(): [MemoryTransport, MemoryTransport] {
  const [left, right] = PipeEnd.join<string>();
  return [new MemoryTransport(left), new MemoryTransport(right)];
}
