/** A page played message by message, at the other end of a `MessagePort`. */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { AppHost, type AppHostOptions, PostMessageTransport } from "parley-mcp/apps";
import type { Client } from "parley-mcp/client";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export class ScriptedView implements Disposable {
  /** Everything that the host sent. */
  readonly received: Message[] = [];
  /** Whether the page answers requests of the host. */
  answers = true;
  readonly #port: MessagePort;
  readonly #waiting = new Set<{ fits(message: Message): boolean; take(message: Message): void }>();
  #lastId = 0;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", (message: Message) => this.#receive(message));
  }

  post(message: unknown): void {
    this.#port.postMessage(message);
  }

  notify(method: string, params: object = {}): void {
    this.post({ jsonrpc: "2.0", method, params });
  }

  /** Sends a request, and returns the message that answers it. */
  request(method: string, params?: object): Promise<Message> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.post({ jsonrpc: "2.0", id, method, params });
    return this.next((message) => message.id === id && message.method === undefined);
  }

  /** The params of the next message with this method, also of one that has arrived. */
  async heard(method: string): Promise<Record<string, unknown>> {
    return (await this.next((message) => message.method === method)).params ?? {};
  }

  /** The methods of the host's messages, in order. */
  get methods(): string[] {
    return this.received.flatMap(({ method }) => method ?? []);
  }

  async initialize(capabilities: object = {}): Promise<Message> {
    const appInfo = { name: "view", version: "1.0.0" };
    const params = { appInfo, appCapabilities: capabilities, protocolVersion: "2026-01-26" };
    const answer = await this.request("ui/initialize", params);
    this.notify("ui/notifications/initialized");
    return answer;
  }

  next(fits: (message: Message) => boolean): Promise<Message> {
    const arrived = this.received.find(fits);
    if (arrived !== undefined) return Promise.resolve(arrived);
    return new Promise((resolve) => this.#waiting.add({ fits, take: resolve }));
  }

  [Symbol.dispose](): void {
    this.#port.close();
  }

  #receive(message: Message): void {
    this.received.push(message);
    for (const waiting of this.#waiting) {
      if (!waiting.fits(message)) continue;
      this.#waiting.delete(waiting);
      waiting.take(message);
    }
    if (message.id === undefined || message.method === undefined || !this.answers) return;
    this.post({ jsonrpc: "2.0", id: message.id, result: {} });
  }
}

export interface Shown extends AsyncDisposable {
  readonly host: AppHost;
  readonly view: ScriptedView;
  /** What the host reported. */
  readonly errors: Error[];
}

/** Shows the page of a tool of a connected server to a scripted view. */
export async function show(client: Client, toolName: string, options: Partial<AppHostOptions> = {}): Promise<Shown> {
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name === toolName);
  if (tool === undefined) throw new Error(`There is no tool ${toolName}`);
  const { port1, port2 } = new MessageChannel();
  const errors: Error[] = [];
  const host = AppHost.open({
    info: { name: "chat", version: "1.0.0" },
    client,
    tool,
    transport: PostMessageTransport.overPort(port1),
    onError: (error) => errors.push(error),
    teardownMs: 1_000,
    ...options,
  });
  const view = new ScriptedView(port2);
  return {
    host,
    view,
    errors,
    async [Symbol.asyncDispose]() {
      await host.close();
      view[Symbol.dispose]();
    },
  };
}
