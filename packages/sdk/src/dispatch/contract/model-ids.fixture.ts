/** Which id a request of the model goes out under: the caller's own if that is free, the next of the counter otherwise. */
import type { RequestId } from "../dispatcher.js";
import type { Side } from "./connection.fixture.js";
import type { ModelCall } from "./model-call.fixture.js";

/** Stands for no id at all: the one asked for is taken. */
export const IN_USE = "(in use)";

export class ModelIds {
  readonly #next: Record<Side, number> = { left: 1, right: 1 };

  draw(calls: readonly ModelCall[], from: Side, wanted: RequestId | undefined, hadTick: boolean): RequestId {
    const usable = usableId(calls, from, wanted, hadTick);
    if (usable === IN_USE) return IN_USE;
    const id = usable ?? this.#next[from];
    if (/^\d+$/.test(`${id}`)) this.#next[from] = Math.max(this.#next[from], Number(id) + 1);
    return id;
  }
}

/** Nothing for an id that may still be under way: using it again would be the caller's mistake. */
function usableId(
  calls: readonly ModelCall[],
  from: Side,
  id: RequestId | undefined,
  hadTick: boolean,
): RequestId | undefined {
  if (id === undefined) return undefined;
  const sent = calls.filter((call) => call.refusal === undefined && call.from === from);
  const holders = sent.filter((call) => call.key === `${id}`);
  const waiting = holders.find((call) => call.isOpen);
  if (waiting === undefined) return holders.every(isOver) ? id : undefined;
  const isUnclear = waiting.given !== undefined || (hadTick && waiting.mayHaveSettled);
  return isUnclear ? undefined : IN_USE;
}

/** Answered or cut off; the answers to a batch wait for each other. */
function isOver({ handlerEnd, crossed }: ModelCall): boolean {
  return handlerEnd === "cut off" || crossed.answers > 0;
}
