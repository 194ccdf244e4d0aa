/**
 * Asking in the modern era. A question without an answer ends the run; the call is answered `input_required`, the client
 * makes it again with the answers, and the handler runs anew: the same lines then return what was answered. Answers of
 * earlier rounds and the results of side effects travel in the request's state.
 */

import { SdkError } from "../../errors/sdk-error.js";
import type { InputRequest, InputRequiredResult, InputResponses } from "../../protocol/input-required.js";
import { isJsonObject, type JsonObject } from "../../protocol/json.js";
import { markHandled } from "../../runtime/mark-handled.js";
import { TransientMap } from "../../runtime/transient-map.js";
import { type Asking, type Question, tooManyQuestions } from "./asking.js";
import { type FinishedEffects, OnceResults } from "./once-results.js";
import { fingerprint } from "./question-fingerprint.js";

/** What travels from round to round. */
export interface RoundState {
  /** By question: what it was, and the answer. */
  readonly answers: { readonly [name: string]: { readonly question: string; readonly answer: JsonObject } };
  /** The questions of the last round, by what they were. */
  readonly asked: { readonly [name: string]: string };
  readonly once: FinishedEffects;
  /** The last round that the author spelled out. */
  readonly own?: OwnRound | undefined;
}

/** What `inputRequired` was given, and what came back. */
export interface OwnRound {
  readonly state?: string | undefined;
  readonly asked: { readonly [name: string]: InputRequest["method"] };
  readonly answers?: InputResponses | undefined;
}

/** How many questions one round of a method's handler may hold. */
export interface QuestionLimit {
  readonly method: string;
  readonly maxRequests: number;
}

const FIRST_ROUND: RoundState = { answers: {}, asked: {}, once: {} };

/** What a question throws so that the handler ends. It says nothing to the client; the open questions do. */
class InputNeeded extends Error {
  override readonly name = "InputNeeded";
}

export class ReplayRound implements Asking {
  readonly #limit: QuestionLimit;
  readonly #answers: TransientMap<string, { readonly question: string; readonly answer: JsonObject }>;
  readonly #open = new TransientMap<string, InputRequest>();
  readonly #counts = new TransientMap<string, number>();
  readonly #results: OnceResults;
  #refusal: unknown;

  /** `responses` is what the client sent; only answers to what was asked are taken. */
  constructor(limit: QuestionLimit, state: RoundState = FIRST_ROUND, responses: unknown = undefined) {
    this.#limit = limit;
    this.#answers = new TransientMap(Object.entries(state.answers));
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

  /** True once a question has ended the run, whatever the handler made of that. */
  get isSuspended(): boolean {
    return this.#open.size > 0 || this.#refusal !== undefined;
  }

  /**
   * The open questions and the state to bring back with the answers.
   * @throws whatever an answer or a changed question was refused with.
   */
  async suspend(seal: (state: RoundState) => Promise<string>): Promise<InputRequiredResult> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const next = await this.carried();
    // What a part of the handler that is still running asks from now on is for the next run, which asks it again.
    const open = this.#open.entries().filter(([name]) => Object.hasOwn(next.asked, name));
    const inputRequests = Object.fromEntries(open);
    return { resultType: "input_required", inputRequests, requestState: await seal(next) };
  }

  /** What the next run has to know of this one. */
  async carried(): Promise<RoundState> {
    const once = await this.#results.settled();
    const asked = Object.fromEntries(this.#open.entries().map(([name, request]) => [name, fingerprint(request)]));
    return { answers: Object.fromEntries(this.#answers.entries()), asked, once };
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
      // Kept, since a handler that catches it must not turn it into an answer.
      this.#refusal ??= error;
      throw error;
    }
  }

  #nameOf(request: InputRequest, key: string | undefined): string {
    if (key !== undefined) return key;
    const count = (this.#counts.get(request.method) ?? 0) + 1;
    this.#counts.set(request.method, count);
    return `${request.method}#${count}`;
  }
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
