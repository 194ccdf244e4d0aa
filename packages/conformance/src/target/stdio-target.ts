/** A server that is a program. Every conversation starts the program anew and speaks lines over its standard streams. */
import type { Revision } from "parley-requirements";
import type { Limits } from "../wire/http-exchange.js";
import { isObject, isResponse, type JsonObject, messagesOf, parseJson } from "../wire/json-rpc.js";
import type { LinePipe, OpenPipe } from "../wire/line-process.js";
import { type Answer, impossible } from "./answer.js";
import { initializeParams, isModern, withMeta } from "./envelope.js";
import type { AskOptions, OpenOptions, Peer, Target } from "./target.js";

/** Messages of one exchange that are kept. A flood past this is counted as one problem. */
const MAX_LINES_PER_ASK = 10_000;

export class StdioTarget implements Target {
  readonly kind = "stdio";
  readonly name: string;
  readonly #openPipe: OpenPipe;
  readonly #limits: Limits;

  constructor(name: string, openPipe: OpenPipe, limits: Limits) {
    this.name = name;
    this.#openPipe = openPipe;
    this.#limits = limits;
  }

  async open(revision: Revision, { handshake = true, initialize }: OpenOptions = {}): Promise<Peer> {
    const peer = new StdioPeer(revision, this.#openPipe, this.#limits);
    if (!isModern(revision) && handshake) await peer.shakeHands(initialize ?? initializeParams(revision));
    return peer;
  }
}

/** One exchange that is being waited for. */
interface Ask {
  readonly lines: string[];
  readonly isLast: (message: unknown) => boolean;
  readonly settle: (problem: string | undefined) => void;
}

class StdioPeer implements Peer {
  readonly kind = "stdio";
  readonly revision: Revision;
  readonly sessionId = undefined;
  opening: Answer | undefined;
  isOver = false;
  readonly #limits: Limits;
  readonly #pipe: LinePipe;
  readonly #asks = new Set<Ask>();
  /** Lines that came while nothing was waited for. The next exchange shows them. */
  readonly #strays: string[] = [];
  #end = "the program has exited";
  #lastId = 0;

  constructor(revision: Revision, openPipe: OpenPipe, limits: Limits) {
    this.revision = revision;
    this.#limits = limits;
    this.#pipe = openPipe({
      onLine: (line) => this.#receive(line),
      onEnd: (how) => this.#finish(how),
    });
  }

  async shakeHands(params: JsonObject): Promise<void> {
    this.opening = await this.request("initialize", params);
    if (isObject(this.opening.response?.result)) await this.notify("notifications/initialized");
  }

  request(method: string, params: JsonObject = {}, options: AskOptions = {}): Promise<Answer> {
    this.#lastId += 1;
    const id = "id" in options ? options.id : this.#lastId;
    const message = { jsonrpc: "2.0", id, method, params: withMeta(this.revision, params, options) };
    return this.#ask(JSON.stringify(message), message, options);
  }

  async notify(method: string, params: JsonObject = {}): Promise<Answer> {
    const hasParams = Object.keys(params).length > 0;
    const message = { jsonrpc: "2.0", method, ...(hasParams ? { params } : {}) };
    const text = JSON.stringify(message);
    this.#pipe.write(`${text}\n`);
    return { ...impossible(""), request: message, sent: text, problem: undefined };
  }

  send(text: string, options: AskOptions = {}): Promise<Answer> {
    const message = parseJson(text);
    return this.#ask(text, isObject(message) ? message : undefined, options);
  }

  http(): Promise<Answer> {
    return Promise.resolve(impossible("standard input and output have no HTTP"));
  }

  hangUp(timeoutMs: number): Promise<Answer> {
    this.#pipe.endInput();
    return this.#wait("(end of input)", undefined, () => false, { timeoutMs });
  }

  async close(): Promise<void> {
    this.isOver = true;
    this.#pipe.endInput();
    this.#pipe.kill();
  }

  #ask(text: string, message: JsonObject | undefined, options: AskOptions): Promise<Answer> {
    if (this.isOver) return Promise.resolve({ ...impossible(this.#end), request: message, sent: text });
    const wanted = JSON.stringify(("id" in options ? options.id : message?.id) ?? null);
    const isAnswer = (value: unknown) => isResponse(value) && JSON.stringify(value.id ?? null) === wanted;
    const answered = this.#wait(text, message, options.until ?? isAnswer, options);
    this.#pipe.write(`${text}\n`);
    return answered;
  }

  #wait(
    sent: string,
    request: JsonObject | undefined,
    isLast: Ask["isLast"],
    { timeoutMs = this.#limits.timeoutMs, stop }: AskOptions,
  ): Promise<Answer> {
    return new Promise((resolve) => {
      const lines = this.#strays.splice(0);
      const settle = (problem: string | undefined) => {
        if (!this.#asks.delete(ask)) return;
        clearTimeout(timer);
        resolve(toAnswer(sent, request, lines, problem));
      };
      const ask: Ask = { lines, isLast, settle };
      this.#asks.add(ask);
      const timer = setTimeout(() => settle("no answer in time"), timeoutMs);
      stop?.addEventListener("abort", () => settle(undefined), { once: true });
    });
  }

  #receive(line: string): void {
    if (this.#asks.size === 0 && this.#strays.length < MAX_LINES_PER_ASK) this.#strays.push(line);
    const values = messagesOf(parseJson(line));
    for (const ask of this.#asks) {
      ask.lines.push(line);
      if (values.some(ask.isLast)) ask.settle(undefined);
      else if (ask.lines.length > MAX_LINES_PER_ASK) ask.settle("the program floods its output");
    }
  }

  #finish(how: string): void {
    this.isOver = true;
    this.#end = how;
    for (const ask of this.#asks) ask.settle(how);
  }
}

function toAnswer(
  sent: string,
  request: JsonObject | undefined,
  lines: readonly string[],
  problem: string | undefined,
): Answer {
  const values = lines.filter((line) => line.trim() !== "").map((line) => ({ line, value: parseJson(line) }));
  const messages = values.filter(({ value }) => value !== undefined).flatMap(({ value }) => messagesOf(value));
  const garbage = values.filter(({ value }) => value === undefined).map(({ line }) => line);
  const wanted = JSON.stringify(request?.id ?? null);
  const response = messages.filter(isResponse).find((message) => JSON.stringify(message.id ?? null) === wanted);
  return { request, sent, received: lines.join("\n"), messages, garbage, response, problem, http: undefined };
}
