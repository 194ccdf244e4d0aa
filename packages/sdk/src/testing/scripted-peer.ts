/** A peer that sends raw messages which the API cannot send: malformed frames, messages out of order, unexpected answers. */

import { isJsonObject, type JsonObject } from "../runtime/json.js";
import type { McpServer } from "../server/mcp-server.js";
import { createMemoryTransports, type MemoryTransport } from "../transport/memory-transport.js";
import type { Transport } from "../transport/transport.js";

const DEFAULT_WAIT_MS = 2_000;

/** A peer that sends and receives raw messages. `scriptedClient` and `scriptedServer` make one. */
export class ScriptedPeer implements AsyncDisposable {
  readonly #transport: MemoryTransport;
  readonly #received: unknown[] = [];
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor(transport: MemoryTransport) {
    this.#transport = transport;
    transport.start({
      receive: (message) => this.#take(message),
      receiveUnparsable: (error) => this.#take(error),
      closed: () => {
        this.#isClosed = true;
        this.#wake?.();
      },
    });
  }

  /** True once the other side, or this one, has closed the connection. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends any JSON value as one message. */
  async send(message: unknown): Promise<void> {
    await this.#transport.sendText(JSON.stringify(message));
  }

  /** Sends text as it is, valid JSON or not. */
  async sendText(text: string): Promise<void> {
    await this.#transport.sendText(text);
  }

  /** Sends a request and waits for its answer. Messages in between are dropped. */
  async request(id: string | number, method: string, params?: JsonObject): Promise<JsonObject> {
    await this.send({ jsonrpc: "2.0", id, method, ...(params && { params }) });
    for (;;) {
      const message = await this.receive();
      if (message.id === id && message.method === undefined) return message;
    }
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    return this.send({ jsonrpc: "2.0", method, ...(params && { params }) });
  }

  /** Answers a request that was received. */
  respond(request: JsonObject, result: JsonObject): Promise<void> {
    return this.send({ jsonrpc: "2.0", id: request.id, result });
  }

  /** Answers a request that was received with an error. */
  respondError(request: JsonObject, code: number, message: string, data?: unknown): Promise<void> {
    const error = data === undefined ? { code, message } : { code, message, data };
    return this.send({ jsonrpc: "2.0", id: request.id, error });
  }

  /** The next message from the other side. Rejects if none comes in time or the connection ends. */
  async receive(waitMs: number = DEFAULT_WAIT_MS): Promise<JsonObject> {
    const message = await this.#next(waitMs);
    if (isJsonObject(message)) return message;
    throw new Error(`expected one message, got ${JSON.stringify(message)}`);
  }

  /** The next batch from the other side. */
  async receiveBatch(waitMs: number = DEFAULT_WAIT_MS): Promise<JsonObject[]> {
    const messages = await this.#next(waitMs);
    if (Array.isArray(messages) && messages.every(isJsonObject)) return messages;
    throw new Error(`expected a batch, got ${JSON.stringify(messages)}`);
  }

  /** All messages that arrived and were not received yet. Waits until sent messages are delivered. */
  async drain(): Promise<unknown[]> {
    await new Promise((resolve) => setTimeout(resolve));
    return this.#received.splice(0);
  }

  async close(): Promise<void> {
    this.#transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #next(waitMs: number): Promise<unknown> {
    if (this.#received.length === 0 && !this.#isClosed) await this.#waitForOne(waitMs);
    if (this.#received.length > 0) return this.#received.shift();
    throw new Error(this.#isClosed ? "the connection ended before a message came" : `no message within ${waitMs} ms`);
  }

  #take(message: unknown): void {
    this.#received.push(message);
    this.#wake?.();
  }

  async #waitForOne(waitMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, waitMs);
    });
    clearTimeout(timer);
  }
}

/**
 * A raw client of a real server.
 *
 * @example
 * await using peer = await scriptedClient(server);
 * await peer.sendText('{"jsonrpc": "2.0"');
 * console.log(await peer.receive());
 */
export async function scriptedClient(server: McpServer): Promise<ScriptedPeer> {
  const [near, far] = createMemoryTransports();
  await server.serve(far);
  return new ScriptedPeer(near);
}

/**
 * A raw server. Pass `transport` to `Client.connect`; `peer` sends and receives for the server.
 *
 * @example
 * const { peer, transport } = scriptedServer();
 * const connecting = Client.connect(transport, { name: "cli", version: "1.0.0", revision: "2025-11-25" });
 * const { method } = await peer.receive();
 * console.log(method);
 * await peer.close();
 * await connecting.catch(() => undefined);
 */
export function scriptedServer(): { peer: ScriptedPeer; transport: Transport } {
  const [near, far] = createMemoryTransports();
  return { peer: new ScriptedPeer(near), transport: far };
}
