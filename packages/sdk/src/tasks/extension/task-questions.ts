/**
 * The questions of one task, answered by the handlers of the client while the task is followed. Each question is asked once, however often
 * the server shows it. Questions that appear together are answered in one request, since a server may refuse a part of them.
 */
import { SdkError } from "../../errors/sdk-error.js";
import type { ExtensionCall } from "../../routing/result-type.js";
import type { JsonObject } from "../../runtime/json.js";
import { withAbort } from "../../runtime/timers.js";
import { MAX_QUESTIONS } from "../task-record.js";
import { repeatPoll } from "./poll-retries.js";
import type { DetailedTask } from "./task-messages.js";
import { updateTask } from "./task-methods.js";

/** Characters of the keys of all questions of one task. */
const MAX_KEY_CHARACTERS = 1_048_576;

/** The part of a client's call that answering questions needs. */
export type TaskQuestionCall = Pick<ExtensionCall, "request" | "answer" | "signal" | "maxInputRequests">;

/** The questions of a task get no answer: a handler of the client failed, or there are too many. `cause` tells which. */
export class UnansweredError extends Error {}

type Question = NonNullable<DetailedTask["inputRequests"]>[string];

/** A question that a handler is answering. */
interface OpenQuestion {
  readonly abort: AbortController;
  /** The date of the newest state that has shown it. */
  shownAt: string;
}

export class TaskQuestions {
  readonly #taskId: string;
  readonly #call: TaskQuestionCall;
  readonly #onFailure: (error: unknown) => void;
  readonly #open = new Map<string, OpenQuestion>();
  readonly #answered = new Set<string>();
  /** Withdrawn questions included. */
  #count = 0;
  #keyCharacters = 0;

  /** `onFailure` gets an `UnansweredError`, or the error of a server that does not take an answer. */
  constructor(taskId: string, call: TaskQuestionCall, onFailure: (error: unknown) => void) {
    this.#taskId = taskId;
    this.#call = call;
    this.#onFailure = onFailure;
  }

  /** Asks the questions of a state that are new, and aborts the handlers of those that the task no longer asks. */
  show({ inputRequests = {}, lastUpdatedAt }: DetailedTask): void {
    for (const [key, question] of this.#open) {
      // A notification may show a state from before the question.
      if (key in inputRequests) question.shownAt = lastUpdatedAt;
      else if (!isEarlier(lastUpdatedAt, question.shownAt)) this.#withdraw(key, question);
    }
    const isNew = ([key]: [string, unknown]) => !this.#open.has(key) && !this.#answered.has(key);
    const asked = Object.entries(inputRequests).filter(isNew);
    if (asked.length === 0) return;
    this.#count += asked.length;
    for (const [key] of asked) this.#keyCharacters += key.length;
    const refusal = this.#refusalOf(asked.length);
    if (refusal) this.#onFailure(new UnansweredError("", { cause: refusal }));
    else this.#answer(asked, lastUpdatedAt).catch(this.#onFailure);
  }

  /** Aborts the handlers that are still answering. @param reason of the abort; without one, the task no longer asks */
  close(reason?: unknown): void {
    for (const [key, question] of this.#open) this.#withdraw(key, question, reason);
  }

  async #answer(asked: readonly (readonly [string, Question])[], shownAt: string): Promise<void> {
    const answers = await Promise.all(asked.map(([key, question]) => this.#answerOf(key, question, shownAt)));
    const inputResponses = Object.fromEntries(answers.filter((answer) => answer !== undefined));
    if (Object.keys(inputResponses).length === 0) return;
    const { request, signal } = this.#call;
    const params = { taskId: this.#taskId, inputResponses };
    // The server ignores an answer that it has already.
    await repeatPoll(() => request(updateTask, params), signal);
  }

  /** Undefined for a question that is withdrawn. */
  async #answerOf(
    key: string,
    question: Question,
    shownAt: string,
  ): Promise<readonly [string, JsonObject] | undefined> {
    const abort = new AbortController();
    const { signal } = abort;
    this.#open.set(key, { abort, shownAt });
    try {
      const answering = this.#call.answer(question, { signal });
      const answer = await withAbort(answering, signal, () => signal.reason);
      this.#open.delete(key);
      this.#answered.add(key);
      return [key, answer];
    } catch (cause) {
      if (signal.aborted) return undefined;
      throw new UnansweredError("", { cause });
    }
  }

  #withdraw(key: string, { abort }: OpenQuestion, reason?: unknown): void {
    this.#open.delete(key);
    abort.abort(reason ?? new SdkError("request-aborted", `Task ${this.#taskId} no longer asks this question`));
  }

  #refusalOf(added: number): SdkError | undefined {
    const { maxInputRequests } = this.#call;
    const open = this.#open.size + added;
    if (open > maxInputRequests) {
      const advice = "raise maxInputRequests if that is right";
      const message = `Task ${this.#taskId} asks ${open} questions at once, ${maxInputRequests} are allowed; ${advice}`;
      return new SdkError("too-large", message);
    }
    if (this.#keyCharacters > MAX_KEY_CHARACTERS) {
      const message = `Task ${this.#taskId} names its questions with more than ${MAX_KEY_CHARACTERS} characters`;
      return new SdkError("too-large", message);
    }
    if (this.#count <= MAX_QUESTIONS) return undefined;
    return new SdkError("too-many-rounds", `Task ${this.#taskId} still asks after ${this.#count - added} questions`);
  }
}

/** False for dates that cannot be read. */
function isEarlier(date: string, other: string): boolean {
  return Date.parse(date) < Date.parse(other);
}
