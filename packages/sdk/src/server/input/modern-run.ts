/**
 * One run of a handler in the modern era: what its client sent with the call, and what it is asked if that is not
 * enough. Most handlers ask nothing, so a run that does costs more than one that does not.
 */

import type { InputRequiredResult, InputResponses } from "../../protocol/input-required.js";
import { isJsonObject, type JsonObject } from "../../protocol/json.js";
import { requireOpen } from "../../routing/request-context.js";
import type { RequestHandler } from "../../routing/router.js";
import { isPromiseLike } from "../../runtime/maybe-promise.js";
import { beginRun, type ServerContext } from "../server-context.js";
import type { Asking, Question } from "./asking.js";
import { checkedRound } from "./checked-round.js";
import { isInputRequired } from "./input-required.js";
import { readRaw } from "./questions.js";
import { type OwnRound, ReplayRound, type RoundState } from "./replay-round.js";
import type { StateBinding } from "./state-binding.js";
import type { StateSeal } from "./state-seal.js";

export interface InputSettings {
  readonly seal: StateSeal;
  /** How many questions one round may hold. */
  readonly maxRequests: number;
  /** How long a person may take to answer a legacy question. */
  readonly timeoutMs: number;
}

/** Opens what the call brought of earlier rounds, and runs the handler. What it answers without waiting is there at once. */
export function runModern(
  handler: RequestHandler<ServerContext>,
  settings: InputSettings,
  params: JsonObject,
  context: ServerContext,
): unknown {
  const { requestState } = params;
  if (typeof requestState !== "string") return new ModernRun(settings, params, undefined, context).start(handler);
  // Only this server seals, so what opens is what it sealed.
  const opening = settings.seal.open(requestState, bindingOf(context, ownParams(params))) as Promise<RoundState>;
  return opening.then((state) => new ModernRun(settings, params, state, context).start(handler));
}

class ModernRun implements Asking {
  readonly #settings: InputSettings;
  readonly #context: ServerContext;
  readonly #params: JsonObject;
  readonly #state: RoundState | undefined;
  readonly #own: OwnRound | undefined;
  /** Handlers may change their arguments, and the retry brings them as they were. */
  readonly #asSent: string | undefined;
  #round: ReplayRound | undefined;

  constructor(settings: InputSettings, params: JsonObject, state: RoundState | undefined, context: ServerContext) {
    const { inputResponses } = params;
    this.#settings = settings;
    this.#context = context;
    this.#params = params;
    this.#state = state;
    this.#own = state ? state.own && withAnswers(state.own, inputResponses) : unboundRound(inputResponses);
    this.#asSent = textOf(ownParams(params));
  }

  start(handler: RequestHandler<ServerContext>): unknown {
    beginRun(this.#context, this, this.#own?.answers, this.#own?.state);
    requireOpen(this.#context);
    let result: unknown;
    try {
      result = handler(this.#params, this.#context);
    } catch (error) {
      if (!this.#round?.isSuspended) throw error;
    }
    return isPromiseLike(result) ? this.#finishLater(result) : this.#finish(result);
  }

  ask<Answer>(question: Question<Answer>): Promise<Answer> {
    return this.#replay().ask(question);
  }

  once<Value>(key: string, run: () => Value | Promise<Value>): Promise<Value> {
    return this.#replay().once(key, run);
  }

  #replay(): ReplayRound {
    if (this.#round) return this.#round;
    const limit = { method: this.#context.method, maxRequests: this.#settings.maxRequests };
    this.#round = new ReplayRound(limit, this.#state, this.#params.inputResponses);
    return this.#round;
  }

  async #finishLater(running: PromiseLike<unknown>): Promise<unknown> {
    let result: unknown;
    try {
      result = await running;
    } catch (error) {
      if (!this.#round?.isSuspended) throw error;
    }
    return this.#finish(result);
  }

  #finish(result: unknown): unknown {
    if (this.#round?.isSuspended) return this.#round.suspend((next) => this.#sealed({ ...next, own: this.#own }));
    return isInputRequired(result) ? this.#askAsSpelledOut(result) : result;
  }

  async #askAsSpelledOut(result: InputRequiredResult): Promise<InputRequiredResult> {
    const asked = checkedRound(result, this.#context, this.#settings.maxRequests);
    const carried = await this.#replay().carried();
    if (!needsState(asked, carried)) return asked;
    return { ...asked, requestState: await this.#sealed({ ...carried, own: ownRound(asked) }) };
  }

  async #sealed(next: RoundState): Promise<string> {
    const asSent = this.#asSent;
    if (asSent !== undefined && asSent.length > LONG_TEXT) await nextTurn();
    const own: JsonObject = asSent === undefined ? ownParams(this.#params) : JSON.parse(asSent);
    return this.#settings.seal.seal(next, bindingOf(this.#context, own));
  }
}

/** What a retry repeats: all but what differs from round to round. */
function ownParams({ _meta, inputResponses, requestState, ...own }: JsonObject): JsonObject {
  return own;
}

/** Undefined for what JSON cannot express, which an in-process call may carry as long as nothing has to be sealed. */
function textOf(own: JsonObject): string | undefined {
  try {
    return JSON.stringify(own);
  } catch {
    return undefined;
  }
}

/** Reading it once more takes as long as reading the request did, and nothing else would be served meanwhile. */
const LONG_TEXT = 65_536;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}

function bindingOf(context: ServerContext, params: JsonObject): StateBinding {
  return { principal: context.caller?.principal, method: context.method, params };
}

/** Whether there is something to bring back; and a round without questions is nothing without a state. */
function needsState({ inputRequests = {}, requestState }: InputRequiredResult, { answers, once }: RoundState): boolean {
  const isEmpty = (entries: object) => Object.keys(entries).length === 0;
  return requestState !== undefined || isEmpty(inputRequests) || !isEmpty(answers) || !isEmpty(once);
}

/** A round without a state leaves no trace, so whatever is answered may be an answer to it. */
function unboundRound(responses: unknown): OwnRound | undefined {
  // That they are answers was checked with the params; whose, only the author can tell.
  return isJsonObject(responses) ? { asked: {}, answers: responses as InputResponses } : undefined;
}

/** A raw state is sealed like any other, so that its author need not. */
function ownRound({ inputRequests = {}, requestState }: InputRequiredResult): OwnRound {
  const asked = Object.entries(inputRequests).map(([name, { method }]) => [name, method] as const);
  return { state: requestState, asked: Object.fromEntries(asked) };
}

/** The answers of a round are read once: what a client sends later belongs to other questions. */
function withAnswers(own: OwnRound, responses: unknown): OwnRound {
  if (own.answers) return own;
  const answers = Object.entries(own.asked).flatMap(([name, method]) => {
    const answer = isJsonObject(responses) && Object.hasOwn(responses, name) ? responses[name] : undefined;
    return isJsonObject(answer) ? [[name, readRaw(method, answer)] as const] : [];
  });
  return { ...own, answers: Object.fromEntries(answers) };
}
