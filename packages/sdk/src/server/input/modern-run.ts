/**
 * One run of a handler in the modern era. A question without an answer throws `InputNeeded`, which ends the run, and the call
 * is answered `input_required` with a sealed `RoundState`. The client calls again with its answers and that state. The handler
 * then runs from its start: answered questions return their answers, and `once` returns its earlier results. state-seal.ts
 * encrypts the state. legacy-run.ts is the other era.
 */
import { SdkError } from "../../errors/sdk-error.js";
import type { InputRequest, InputRequiredResult, InputResponses } from "../../protocol/input-required.js";
import { type FinishedEffects, OnceResults } from "../../routing/once-results.js";
import type { RequestHandler } from "../../routing/router.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { jsonBytes } from "../../runtime/json-size.js";
import { isPromiseLike, markHandled } from "../../runtime/maybe-promise.js";
import type { ServerContext } from "../server-context.js";
import { checkedInputRequired, isInputRequired } from "./input-required.js";
import { type HandlerRun, type Question, readRaw, tooManyQuestions } from "./questions.js";
import type { StateBinding, StateSeal } from "./state-seal.js";

export interface InputSettings {
  readonly seal: StateSeal;
  /** Questions in one round. */
  readonly maxRequests: number;
  /** Legacy only: time to answer a question to a person or a model. */
  readonly timeoutMs: number;
}

/** The payload of a sealed `requestState`. */
export interface RoundState {
  /** The answers of all earlier rounds, by name of the question. */
  readonly answers: { readonly [name: string]: QuestionAnswer };
  /** The fingerprints of the last round's questions, by name. */
  readonly asked: { readonly [name: string]: string };
  readonly once: FinishedEffects;
  /** The last round that the handler returned as `inputRequired(…)`. */
  readonly explicit?: ExplicitRound | undefined;
}

interface QuestionAnswer {
  /** The fingerprint of the question. */
  readonly question: string;
  readonly answer: JsonObject;
}

/** A round that the handler returned as `inputRequired(…)`, and its answers. */
export interface ExplicitRound {
  readonly state?: string | undefined;
  readonly asked: { readonly [name: string]: InputRequest["method"] };
  readonly answers?: InputResponses | undefined;
}

/** The limit on questions in one round, and the method that error messages name. */
export interface QuestionLimit {
  readonly method: string;
  readonly maxRequests: number;
}

const FIRST_ROUND: RoundState = { answers: {}, asked: {}, once: {} };

/** Decrypts the state of earlier rounds and runs the handler. Without a state, a synchronous handler is answered synchronously. */
export function runModern(
  handler: RequestHandler<ServerContext>,
  settings: InputSettings,
  params: JsonObject,
  context: ServerContext,
): unknown {
  const { requestState } = params;
  if (typeof requestState !== "string") return new ModernRun(settings, params, undefined, context).start(handler);
  // Only this server seals, so a payload that opens is a RoundState.
  const opening = settings.seal.open(requestState, bindingOf(context, ownParams(params))) as Promise<RoundState>;
  return opening.then((state) => new ModernRun(settings, params, state, context).start(handler));
}

class ModernRun implements HandlerRun {
  readonly #settings: InputSettings;
  readonly #context: ServerContext;
  readonly #params: JsonObject;
  readonly #state: RoundState | undefined;
  readonly #explicit: ExplicitRound | undefined;
  /** The seal binds the params as the client sent them; the handler may change its arguments. */
  readonly #paramsAsSent: JsonObject | undefined;
  /** Created by the first question or `once`: most handlers need none. */
  #round: ReplayRound | undefined;

  constructor(settings: InputSettings, params: JsonObject, state: RoundState | undefined, context: ServerContext) {
    const { inputResponses } = params;
    this.#settings = settings;
    this.#context = context;
    this.#params = params;
    this.#state = state;
    this.#explicit = state
      ? state.explicit && withAnswers(state.explicit, inputResponses)
      : roundWithoutState(inputResponses);
    this.#paramsAsSent = copyOfOwn(params);
  }

  get inputResponses(): InputResponses | undefined {
    return this.#explicit?.answers;
  }

  get requestState(): string | undefined {
    return this.#explicit?.state;
  }

  get isSuspended(): boolean {
    return this.#round?.isSuspended === true;
  }

  start(handler: RequestHandler<ServerContext>): unknown {
    const request = this.#context.routed;
    request.run = this;
    request.requireOpen();
    let result: unknown;
    try {
      result = handler(this.#params, this.#context);
    } catch (error) {
      return this.#fail(error);
    }
    if (!isPromiseLike(result)) return this.#finish(result);
    return result.then(
      (value) => this.#finish(value),
      (error: unknown) => this.#fail(error),
    );
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

  /** In a suspended run, the error is `InputNeeded` or one that the handler threw because of it. The open questions win. */
  #fail(error: unknown): unknown {
    if (this.#round?.isSuspended) return this.#finish(undefined);
    throw error;
  }

  #finish(result: unknown): unknown {
    if (this.#round?.isSuspended) {
      return this.#round.suspend((next) => this.#sealed({ ...next, explicit: this.#explicit }));
    }
    return isInputRequired(result) ? this.#askExplicitly(result) : result;
  }

  async #askExplicitly(result: InputRequiredResult): Promise<InputRequiredResult> {
    const asked = checkedInputRequired(result, this.#context, this.#settings.maxRequests);
    const next = await this.#replay().nextState();
    if (!needsState(asked, next)) return asked;
    return { ...asked, requestState: await this.#sealed({ ...next, explicit: explicitRound(asked) }) };
  }

  async #sealed(next: RoundState): Promise<string> {
    const own = this.#paramsAsSent ?? ownParams(this.#params);
    if (jsonBytes(own, LONG_PARAMS_BYTES) > LONG_PARAMS_BYTES) await timerTurn();
    return this.#settings.seal.seal(next, bindingOf(this.#context, own));
  }
}

/** Ends a run of a handler. Never sent: the client gets the open questions instead. */
class InputNeeded extends Error {
  override readonly name = "InputNeeded";
}

/** The questions and side effects of one run. Answered questions return their answers; a question without one ends the run. */
export class ReplayRound {
  readonly #limit: QuestionLimit;
  readonly #answers: Map<string, QuestionAnswer>;
  readonly #open = new Map<string, InputRequest>();
  readonly #counts = new Map<string, number>();
  readonly #results: OnceResults;
  #refusal: unknown;

  /** `responses` is the client's `inputResponses`. Responses to other questions than those of the last round are ignored. */
  constructor(limit: QuestionLimit, state: RoundState = FIRST_ROUND, responses: unknown = undefined) {
    this.#limit = limit;
    this.#answers = new Map(Object.entries(state.answers));
    this.#results = new OnceResults(state.once);
    if (!isJsonObject(responses)) return;
    for (const [name, question] of Object.entries(state.asked)) {
      const answer = Object.hasOwn(responses, name) ? responses[name] : undefined;
      if (isJsonObject(answer)) this.#answers.set(name, { question, answer });
    }
  }

  ask<Answer>({ request, key, read }: Question<Answer>): Promise<Answer> {
    return markHandled(this.#answer(this.#nameOf(request, key), request, read));
  }

  once<Value>(key: string, run: () => Value | Promise<Value>): Promise<Value> {
    return markHandled(this.#results.run(key, run));
  }

  /** Whether a question has ended the run. Also true if the handler caught the error. */
  get isSuspended(): boolean {
    return this.#open.size > 0 || this.#refusal !== undefined;
  }

  /**
   * The `input_required` result: the open questions, and the sealed state that the client sends back with the answers.
   * @throws the error of an invalid answer, or of a question that differs from the earlier round.
   */
  async suspend(seal: (state: RoundState) => Promise<string>): Promise<InputRequiredResult> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const next = await this.nextState();
    // A handler that is still running may ask more meanwhile. The next run asks those questions again.
    const open = [...this.#open].filter(([name]) => Object.hasOwn(next.asked, name));
    const inputRequests = Object.fromEntries(open);
    return { resultType: "input_required", inputRequests, requestState: await seal(next) };
  }

  /** The state for the next run. Waits until the side effects in progress have ended. */
  async nextState(): Promise<RoundState> {
    const once = await this.#results.settled();
    const asked = Object.fromEntries(Array.from(this.#open, ([name, request]) => [name, fingerprint(request)]));
    return { answers: Object.fromEntries(this.#answers), asked, once };
  }

  async #answer<Answer>(name: string, request: InputRequest, read: Question<Answer>["read"]): Promise<Answer> {
    const given = this.#answers.get(name);
    const open = this.#open.get(name) ?? request;
    const isTaken = open !== request && fingerprint(open) !== fingerprint(request);
    if (!given && !isTaken && (this.#open.has(name) || this.#open.size < this.#limit.maxRequests)) {
      this.#open.set(name, request);
      throw new InputNeeded(`Waiting for the client's answer to "${name}"`);
    }
    try {
      if (!given) throw isTaken ? keyTaken(name) : tooManyQuestions(this.#limit.method, this.#limit.maxRequests);
      if (given.question !== fingerprint(request)) throw questionChanged(name);
      return await read(given.answer);
    } catch (error) {
      // The call fails with this error even if the handler catches it.
      this.#refusal ??= error;
      throw error;
    }
  }

  /** The author's key, or the method and a running number, such as `elicitation/create#1`. */
  #nameOf(request: InputRequest, key: string | undefined): string {
    if (key !== undefined) return key;
    const count = (this.#counts.get(request.method) ?? 0) + 1;
    this.#counts.set(request.method, count);
    return `${request.method}#${count}`;
  }
}

/** Two 32-bit FNV-1a hashes with different constants: a 64-bit hash needs bigints, which are twenty times slower. */
const FIRST_HASH = { offset: 0x811c9dc5, prime: 0x01000193 };
const SECOND_HASH = { offset: 0x2545f491, prime: 0x85ebca6b };

/** A hash that identifies a question across rounds. Not cryptographic: the state that holds it is encrypted. */
export function fingerprint(request: InputRequest): string {
  const text = JSON.stringify(request);
  let first = FIRST_HASH.offset;
  let second = SECOND_HASH.offset;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    first = Math.imul(first ^ unit, FIRST_HASH.prime);
    second = Math.imul(second ^ unit, SECOND_HASH.prime);
  }
  return `${(first >>> 0).toString(36)}.${(second >>> 0).toString(36)}`;
}

/** The params that are the same in every round. */
function ownParams({ _meta, inputResponses, requestState, ...own }: JsonObject): JsonObject {
  return own;
}

/** Params that differ between the rounds of a call. */
const ROUND_PARAMS: readonly string[] = ["_meta", "inputResponses", "requestState"];

/** A copy of `ownParams`; undefined for cyclic ones. In-process calls may have such params until a state must be sealed. */
function copyOfOwn(params: JsonObject): JsonObject | undefined {
  try {
    return copyMembers(params, 0, ROUND_PARAMS);
  } catch {
    return undefined;
  }
}

/** Deeper than any message can nest. Deeper params are cyclic. */
const MAX_DEPTH = 1_024;

/** Copies arrays and objects. Strings are shared, so long ones cost nothing. @throws for cycles. */
function copyContainers(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) throw new RangeError("the value nests too deep");
  return Array.isArray(value)
    ? value.map((item) => copyContainers(item, depth + 1))
    : copyMembers(value as JsonObject, depth, []);
}

/** Member by member: in this place a spread takes three times as long. */
function copyMembers(value: JsonObject, depth: number, except: readonly string[]): JsonObject {
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    if (except.includes(name)) continue;
    const member = copyContainers(value[name], depth + 1);
    if (name === "__proto__") Object.defineProperty(copy, name, { value: member, enumerable: true });
    else copy[name] = member;
  }
  return copy;
}

/** Serializing longer params takes as long as parsing them did, so the seal waits one turn. Other requests run in between. */
const LONG_PARAMS_BYTES = 65_536;

function timerTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}

function bindingOf(context: ServerContext, params: JsonObject): StateBinding {
  return { principal: context.caller?.principal, method: context.method, params };
}

/** A round without questions needs a state, too: `input_required` must have `inputRequests` or `requestState`. */
function needsState({ inputRequests = {}, requestState }: InputRequiredResult, { answers, once }: RoundState): boolean {
  const isEmpty = (entries: object) => Object.keys(entries).length === 0;
  return requestState !== undefined || isEmpty(inputRequests) || !isEmpty(answers) || !isEmpty(once);
}

/** Without a state the server does not know what it asked, so every response counts as an answer. */
function roundWithoutState(responses: unknown): ExplicitRound | undefined {
  // The router has checked their shape. Only the handler knows to which questions they belong.
  return isJsonObject(responses) ? { asked: {}, answers: responses as InputResponses } : undefined;
}

/** The author's `requestState` is encrypted with the rest, so authors need not sign it. */
function explicitRound({ inputRequests = {}, requestState }: InputRequiredResult): ExplicitRound {
  const asked = Object.entries(inputRequests).map(([name, { method }]) => [name, method] as const);
  return { state: requestState, asked: Object.fromEntries(asked) };
}

/** Reads the answers of a round once. Responses in later rounds belong to other questions. */
function withAnswers(round: ExplicitRound, responses: unknown): ExplicitRound {
  if (round.answers) return round;
  const answers = Object.entries(round.asked).flatMap(([name, method]) => {
    const answer = isJsonObject(responses) && Object.hasOwn(responses, name) ? responses[name] : undefined;
    return isJsonObject(answer) ? [[name, readRaw(method, answer)] as const] : [];
  });
  return { ...round, answers: Object.fromEntries(answers) };
}

function keyTaken(name: string): SdkError {
  return new SdkError("duplicate-name", `Two different questions go by the key "${name}"; give each a key of its own`);
}

function questionChanged(name: string): SdkError {
  return new SdkError(
    "questions-changed",
    `The question "${name}" is not what it was in an earlier round. A handler must ask the same in every round: put what ` +
      "varies into once(), and give keys to questions whose order varies",
  );
}
