/**
 * Exchanges that wait for their answers on one stream of messages: the lines of a program, or the events of HTTP+SSE. A message is
 * shown to every exchange that waits, and one that came while nothing was waited for to the next.
 */
import type { Limits } from "../wire/http-exchange.js";
import { isResponse, type JsonObject, messagesOf, parseJson } from "../wire/json-rpc.js";
import { type Answer, NO_ANSWER } from "./answer.js";
import type { AskOptions } from "./target.js";

/** Messages of one exchange that are kept. A flood past this is counted as one problem. */
const MAX_PIECES_PER_ASK = 10_000;

export interface HeardPieces<Piece> {
  readonly pieces: readonly Piece[];
  readonly problem: string | undefined;
}

export interface PendingAsk<Piece> {
  readonly heard: Promise<HeardPieces<Piece>>;
  /** Ends the wait. A second call does nothing. */
  readonly settle: (problem: string | undefined) => void;
}

interface Waiting<Piece> {
  readonly pieces: Piece[];
  readonly isLast: (message: unknown) => boolean;
  readonly settle: (problem: string | undefined) => void;
}

export class PendingAsks<Piece> {
  readonly #limits: Limits;
  readonly #textOf: (piece: Piece) => string;
  readonly #waiting = new Set<Waiting<Piece>>();
  readonly #strays: Piece[] = [];

  constructor(limits: Limits, textOf: (piece: Piece) => string) {
    this.#limits = limits;
    this.#textOf = textOf;
  }

  wait(
    isLast: (message: unknown) => boolean,
    { timeoutMs = this.#limits.timeoutMs, stop }: AskOptions,
  ): PendingAsk<Piece> {
    let settle: PendingAsk<Piece>["settle"] = () => undefined;
    const heard = new Promise<HeardPieces<Piece>>((resolve) => {
      const pieces = this.#strays.splice(0);
      settle = (problem) => {
        if (!this.#waiting.delete(waiting)) return;
        clearTimeout(timer);
        resolve({ pieces, problem });
      };
      const waiting: Waiting<Piece> = { pieces, isLast, settle };
      this.#waiting.add(waiting);
      const timer = setTimeout(() => settle(NO_ANSWER), timeoutMs);
      stop?.addEventListener("abort", () => settle(undefined), { once: true });
    });
    return { heard, settle };
  }

  receive(piece: Piece): void {
    if (this.#waiting.size === 0 && this.#strays.length < MAX_PIECES_PER_ASK) this.#strays.push(piece);
    const values = messagesOf(parseJson(this.#textOf(piece)));
    for (const waiting of this.#waiting) {
      waiting.pieces.push(piece);
      if (values.some(waiting.isLast)) waiting.settle(undefined);
      else if (waiting.pieces.length > MAX_PIECES_PER_ASK) waiting.settle("the server floods its output");
    }
  }

  /** Ends every wait: no more messages come, or one of them could not be read. */
  finish(how: string): void {
    for (const waiting of this.#waiting) waiting.settle(how);
  }
}

/** Whether a message answers the request with this id. A missing id and `null` are the same. */
export function isAnswerTo(id: unknown): (message: unknown) => boolean {
  const wanted = JSON.stringify(id ?? null);
  return (message) => isResponse(message) && JSON.stringify(message.id ?? null) === wanted;
}

export function answerFrom(
  sent: string,
  request: JsonObject | undefined,
  texts: readonly string[],
  problem: string | undefined,
): Answer {
  const values = texts.filter((text) => text.trim() !== "").map((text) => ({ text, value: parseJson(text) }));
  const messages = values.filter(({ value }) => value !== undefined).flatMap(({ value }) => messagesOf(value));
  const garbage = values.filter(({ value }) => value === undefined).map(({ text }) => text);
  const response = messages.filter(isResponse).find(isAnswerTo(request?.id));
  return { request, sent, received: texts.join("\n"), messages, garbage, response, problem, http: undefined };
}
