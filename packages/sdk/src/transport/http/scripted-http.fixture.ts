/** A `fetch` whose answers a test gives by hand, call by call, with bodies that come when the test says so. */
import type { Fetch, FetchInit } from "./fetch-http.js";

type Headers = Readonly<Record<string, string>>;

export class ScriptedHttp {
  readonly calls: ScriptedCall[] = [];
  readonly #waiting: ((call: ScriptedCall) => void)[] = [];
  #taken = 0;

  readonly fetch: Fetch = (url, init) =>
    new Promise((resolve, reject) => {
      const call = new ScriptedCall(url, init, resolve, reject);
      this.calls.push(call);
      const waiting = this.#waiting.shift();
      if (waiting === undefined) return;
      this.#taken += 1;
      waiting(call);
    });

  /** The next call that was not asked for yet, as soon as it is made. */
  next(): Promise<ScriptedCall> {
    const call = this.calls[this.#taken];
    if (call === undefined) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#taken += 1;
    return Promise.resolve(call);
  }

  /** What was called, in order: the verb, and the method of what was posted. */
  get log(): string[] {
    return this.calls.map(({ init, message }) => [init.method, message?.method].filter(Boolean).join(" "));
  }
}

export class ScriptedCall {
  readonly url: URL;
  readonly init: FetchInit;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: Error) => void;

  constructor(url: URL, init: FetchInit, resolve: (response: Response) => void, reject: (error: Error) => void) {
    this.url = url;
    this.init = init;
    this.#resolve = resolve;
    this.#reject = reject;
    init.signal.addEventListener("abort", () => reject(init.signal.reason));
  }

  get message(): { id?: string | number; method?: string; params?: Record<string, unknown> } | undefined {
    return this.init.body === undefined ? undefined : JSON.parse(this.init.body);
  }

  get isAborted(): boolean {
    return this.init.signal.aborted;
  }

  header(name: string): string | undefined {
    return this.init.headers[name];
  }

  respond(status: number, headers: Headers = {}, body: string | Uint8Array<ArrayBuffer> | null = null): void {
    this.#resolve(new Response(body, { status, headers }));
  }

  json(value: unknown, headers: Headers = {}, status = 200): void {
    this.respond(status, { "content-type": "application/json", ...headers }, JSON.stringify(value));
  }

  /** Answers the posted request with a result, in one body. */
  result(result: Record<string, unknown> = {}, headers: Headers = {}): void {
    this.json({ jsonrpc: "2.0", id: this.message?.id, result }, headers);
  }

  accept(): void {
    this.respond(202);
  }

  fail(error: Error): void {
    this.#reject(error);
  }

  /** Begins an event stream. */
  stream(headers: Headers = {}): ScriptedStream {
    const stream = new ScriptedStream(this.init.signal);
    this.#resolve(
      new Response(stream.body, { status: 200, headers: { "content-type": "text/event-stream", ...headers } }),
    );
    return stream;
  }
}

export class ScriptedStream {
  readonly body: ReadableStream<Uint8Array>;
  isCancelled = false;
  #controller!: ReadableStreamDefaultController<Uint8Array>;

  constructor(signal: AbortSignal) {
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.isCancelled = true;
      },
    });
    signal.addEventListener("abort", () => this.#controller.error(signal.reason));
  }

  write(text: string): void {
    this.#controller.enqueue(new TextEncoder().encode(text));
  }

  /** One message as an event. */
  event(message: unknown, id?: string): void {
    this.write(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`);
  }

  end(): void {
    this.#controller.close();
  }

  fail(error: Error): void {
    this.#controller.error(error);
  }
}
