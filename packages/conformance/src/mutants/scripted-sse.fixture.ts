/** The scripted server behind HTTP+SSE of 2024-11-05: a connection of `scripted-pipe.fixture.ts` for each stream. */
import type { HttpExchangeRequest, HttpReply, SendHttp } from "../wire/http-exchange.js";
import { ScriptedPipe } from "./scripted-pipe.fixture.js";
import type { ScriptedServer } from "./scripted-server.fixture.js";

interface OpenStream {
  readonly pipe: ScriptedPipe;
  readonly events: string[];
  wake: () => void;
}

export class ScriptedSse {
  readonly #server: ScriptedServer;
  readonly #streams = new Map<string, OpenStream>();
  #opened = 0;

  constructor(server: ScriptedServer) {
    this.#server = server;
  }

  /** Sends to this server without a socket. */
  readonly send: SendHttp = async (call, signal) => {
    const headers = Object.fromEntries(
      Object.entries(call.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const guards = (name: string) => this.#server.guards(name);
    if (headers.origin !== undefined && guards(`sse origin ${call.verb}`)) return reply(403);
    if (headers.host !== undefined && guards("sse host")) return reply(403);
    if (call.verb === "GET" && call.path === undefined) return this.#open(signal);
    return call.verb === "POST" ? this.#post(call) : reply(405);
  };

  #open(signal: AbortSignal): HttpReply {
    this.#opened += 1;
    const id = `session-${String(this.#opened).padStart(8, "0")}`;
    const origin = this.#server.guards("sse endpoint origin") ? "" : "https://other.example";
    const endpoint = `event: endpoint\ndata: ${origin}/messages?session=${id}\n\n`;
    const early = this.#server.guards("sse endpoint first") ? [] : ["event: hello\ndata: hello\n\n"];
    const stream: OpenStream = {
      pipe: new ScriptedPipe(this.#server),
      events: [...early, endpoint],
      wake: () => undefined,
    };
    this.#streams.set(id, stream);
    signal.addEventListener("abort", () => {
      this.#streams.delete(id);
      stream.wake();
    });
    return { status: 200, headers: { "content-type": "text/event-stream" }, body: eventsOf(stream, signal) };
  }

  #post({ path = "", body = "" }: HttpExchangeRequest): HttpReply {
    const guards = (name: string) => this.#server.guards(name);
    const named = this.#streams.get(path.replace("/messages?session=", ""));
    if (!named) return reply(guards("sse session known") ? 404 : 202);
    const answers = named.pipe.answer(body);
    const type = guards("sse event type") ? "message" : "answer";
    const readers = guards("sse sessions") ? [named] : [...this.#streams.values()];
    for (const stream of readers) {
      stream.events.push(...answers.map((answer) => `event: ${type}\ndata: ${answer}\n\n`));
      stream.wake();
    }
    return reply(guards("sse accepted") ? 202 : 302, guards("sse empty body") ? "" : (answers.at(-1) ?? ""));
  }
}

async function* eventsOf(stream: OpenStream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  while (!signal.aborted) {
    for (const event of stream.events.splice(0)) yield new TextEncoder().encode(event);
    const woken = new Promise<void>((resolve) => {
      stream.wake = resolve;
    });
    if (stream.events.length === 0 && !signal.aborted) await woken;
  }
}

function reply(status: number, text = ""): HttpReply {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(text);
  }
  return { status, headers: { "content-type": "application/json" }, body: body() };
}
