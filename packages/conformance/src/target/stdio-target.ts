/** A server that is a program. Every conversation starts the program anew and speaks lines over its standard streams. */
import type { Revision } from "parley-requirements";
import type { Limits } from "../wire/http-exchange.js";
import { isObject, type JsonObject, parseJson } from "../wire/json-rpc.js";
import type { LinePipe, OpenPipe } from "../wire/line-process.js";
import { type Answer, impossible, TOO_LARGE } from "./answer.js";
import { initializeParams, isModern, withMeta } from "./envelope.js";
import { answerFrom, isAnswerTo, PendingAsks } from "./pending-asks.js";
import type { AskOptions, OpenOptions, Peer, Target } from "./target.js";

/** How many times longer than other answers the first answer of a program may take: a program has to start. */
const START_FACTOR = 4;

export class StdioTarget implements Target {
  readonly kind = "stdio";
  readonly name: string;
  readonly #openPipe: OpenPipe;
  readonly #limits: Limits;
  /** A program has not answered its first request. The others get no more time to start. */
  #hasBeenSilent = false;

  constructor(name: string, openPipe: OpenPipe, limits: Limits) {
    this.name = name;
    this.#openPipe = openPipe;
    this.#limits = limits;
  }

  async open(revision: Revision, { handshake = true, initialize }: OpenOptions = {}): Promise<Peer> {
    const startMs = this.#limits.timeoutMs * (this.#hasBeenSilent ? 1 : START_FACTOR);
    const onSilence = () => {
      this.#hasBeenSilent = true;
    };
    const peer = new StdioPeer(revision, this.#openPipe, this.#limits, { startMs, onSilence });
    if (!isModern(revision) && handshake) await peer.shakeHands(initialize ?? initializeParams(revision));
    return peer;
  }
}

interface Start {
  /** How long the first answer may take. */
  readonly startMs: number;
  /** Called if there is none. */
  readonly onSilence: () => void;
}

class StdioPeer implements Peer {
  readonly kind = "stdio";
  readonly revision: Revision;
  readonly sessionId = undefined;
  opening: Answer | undefined;
  isOver = false;
  readonly #pipe: LinePipe;
  readonly #asks: PendingAsks<string>;
  #end = "the program has exited";
  #lastId = 0;
  /** Until the first answer. */
  #start: Start | undefined;

  constructor(revision: Revision, openPipe: OpenPipe, limits: Limits, start: Start) {
    this.revision = revision;
    this.#start = start;
    this.#asks = new PendingAsks(limits, (line) => line);
    this.#pipe = openPipe({
      onLine: (line) => this.#asks.receive(line),
      onLongLine: () => this.#asks.finish(TOO_LARGE),
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
    return this.respond(message);
  }

  async respond(message: JsonObject): Promise<Answer> {
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

  async hangUp(timeoutMs: number): Promise<Answer> {
    this.#pipe.endInput();
    const { pieces, problem } = await this.#asks.wait(() => false, { timeoutMs }).heard;
    return answerFrom("(end of input)", undefined, pieces, problem);
  }

  async close(): Promise<void> {
    this.isOver = true;
    this.#pipe.endInput();
    this.#pipe.kill();
  }

  async #ask(text: string, message: JsonObject | undefined, options: AskOptions): Promise<Answer> {
    if (this.isOver) return { ...impossible(this.#end), request: message, sent: text };
    const id = "id" in options ? options.id : message?.id;
    const start = this.#start;
    const timing = start && options.timeoutMs === undefined ? { ...options, timeoutMs: start.startMs } : options;
    const { heard } = this.#asks.wait(options.until ?? isAnswerTo(id), timing);
    this.#pipe.write(`${text}\n`);
    const { pieces, problem } = await heard;
    if (pieces.length > 0) this.#start = undefined;
    // Lines that answer nothing are silence, too: a program may write its log to standard output.
    if (problem !== undefined && start !== undefined && timing !== options) start.onSilence();
    return answerFrom(text, message, pieces, problem);
  }

  #finish(how: string): void {
    this.isOver = true;
    this.#end = how;
    this.#asks.finish(how);
  }
}
