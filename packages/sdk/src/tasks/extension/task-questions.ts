/**
 * The questions of one task, answered by the handlers of the client while the task is followed. Each question is asked once, however often
 * the server shows it. Each answer is sent when it is there. A server may refuse a part of the answers: they are then sent together.
 */
import { ProtocolError } from "../../errors/protocol-error.js";
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
export type TaskQuestionCall = Pick<ExtensionCall, "request" | "answer" | "maxInputRequests">;

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
  readonly #signal: AbortSignal;
  readonly #onFailure: (error: unknown) => void;
  readonly #open = new Map<string, OpenQuestion>();
  readonly #answered = new Set<string>();
  readonly #unsent = new Map<string, JsonObject>();
  #isSending = false;
  /** Withdrawn questions included. */
  #count = 0;
  #keyCharacters = 0;

  /**
   * @param signal aborts when the task is no longer followed
   * @param onFailure gets the error of a handler, or of a server that takes no answers, or that too much was asked
   */
  constructor(taskId: string, call: TaskQuestionCall, signal: AbortSignal, onFailure: (error: unknown) => void) {
    this.#taskId = taskId;
    this.#call = call;
    this.#signal = signal;
    this.#onFailure = onFailure;
  }

  /** Asks the questions of a state that are new, and aborts the handlers of those that the task no longer asks. */
  show({ inputRequests = {}, lastUpdatedAt }: DetailedTask): void {
    for (const [key, question] of this.#open) {
      // A notification may show a state from before the question.
      if (Object.hasOwn(inputRequests, key)) question.shownAt = lastUpdatedAt;
      else if (!isEarlier(lastUpdatedAt, question.shownAt)) this.#withdraw(key, question);
    }
    const isNew = ([key]: [string, unknown]) => !this.#open.has(key) && !this.#answered.has(key);
    const asked = Object.entries(inputRequests).filter(isNew);
    if (asked.length === 0) return;
    this.#count += asked.length;
    for (const [key] of asked) this.#keyCharacters += key.length;
    const refusal = this.#refusalOf(asked.length);
    if (refusal) this.#onFailure(refusal);
    else for (const [key, question] of asked) this.#answer(key, question, lastUpdatedAt).catch(this.#onFailure);
  }

  /** Aborts the handlers that are still answering. @param reason of the abort; without one, the task no longer asks */
  close(reason?: unknown): void {
    for (const [key, question] of this.#open) this.#withdraw(key, question, reason);
  }

  async #answer(key: string, question: Question, shownAt: string): Promise<void> {
    const abort = new AbortController();
    const { signal } = abort;
    this.#open.set(key, { abort, shownAt });
    try {
      const answering = this.#call.answer(question, { signal });
      this.#unsent.set(key, await withAbort(answering, signal, () => signal.reason));
    } catch (error) {
      if (!signal.aborted) throw error;
      // Answers that the server has refused may have waited for this one.
      return this.#send();
    }
    this.#open.delete(key);
    this.#answered.add(key);
    return this.#send();
  }

  /** Sends the answers, one request at a time, so that those that come meanwhile go out together. */
  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#unsent.size > 0 && !(await this.#sendPart()));
    } finally {
      this.#isSending = false;
    }
  }

  /** True if the server has refused the answers, and others are still to come. */
  async #sendPart(): Promise<boolean> {
    const { request } = this.#call;
    const signal = this.#signal;
    const part = [...this.#unsent];
    const params = { taskId: this.#taskId, inputResponses: Object.fromEntries(part) };
    try {
      // The server ignores an answer that it has already.
      await repeatPoll(() => request(updateTask, params, { signal }), signal);
    } catch (error) {
      const isPartial = this.#open.size > 0 || this.#unsent.size > part.length;
      if (!(error instanceof ProtocolError) || !isPartial) throw error;
      return this.#unsent.size === part.length;
    }
    for (const [key] of part) this.#unsent.delete(key);
    return false;
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
