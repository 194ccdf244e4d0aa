/** One run of a handler in the legacy era. A question is a request to the client, and the handler waits for its answer. */
import type { InputResponses } from "../../protocol/input-required.js";
import { OnceResults } from "../../routing/once-results.js";
import type { RequestHandler } from "../../routing/router.js";
import type { JsonObject } from "../../runtime/json.js";
import { isPromiseLike, markHandled } from "../../runtime/maybe-promise.js";
import type { ServerContext } from "../server-context.js";
import { askAsTask, runsAsTask } from "./client-task-question.js";
import { askExplicitly } from "./explicit-rounds.js";
import { isInputRequired } from "./input-required.js";
import { type HandlerRun, type Question, tooManyQuestions } from "./questions.js";

export interface QuestionLimits {
  /** Questions that wait for their answers at the same time. */
  readonly maxRequests: number;
  /** Time to answer a question to a person or a model. */
  readonly timeoutMs: number;
}

/** Runs a handler. A synchronous handler is answered synchronously. */
export function runLegacy(
  handler: RequestHandler<ServerContext>,
  limits: QuestionLimits,
  params: JsonObject,
  context: ServerContext,
): unknown {
  const request = context.routed;
  const run = new LegacyRun(context, limits, (id) => request.connection.watch.elicitations.start(id));
  request.run = run;
  const result = handler(params, context);
  if (!isPromiseLike(result) && !isInputRequired(result)) return result;
  return askExplicitly(handler, limits.maxRequests, params, context, run, result);
}

export class LegacyRun implements HandlerRun {
  inputResponses: InputResponses | undefined;
  requestState: string | undefined;
  readonly #context: ServerContext;
  readonly #onPage: ((elicitationId: string) => void) | undefined;
  readonly #maxRequests: number;
  readonly #timeoutMs: number;
  #results: OnceResults | undefined;
  #waiting = 0;

  /** `onPage` is called with the id of every page that the client is asked to open. */
  constructor(context: ServerContext, limits: QuestionLimits, onPage?: (elicitationId: string) => void) {
    this.#context = context;
    this.#maxRequests = limits.maxRequests;
    this.#timeoutMs = limits.timeoutMs;
    this.#onPage = onPage;
  }

  ask<Answer>({ request, requestOptions, read }: Question<Answer>): Promise<Answer> {
    if (this.#waiting >= this.#maxRequests) {
      return markHandled(Promise.reject(tooManyQuestions(this.#context.method, this.#maxRequests)));
    }
    this.#waiting += 1;
    const elicitationId = request.params && "elicitationId" in request.params && request.params.elicitationId;
    if (typeof elicitationId === "string") this.#onPage?.(elicitationId);
    // A client answers roots/list without asking a person.
    const timeout = request.method === "roots/list" ? undefined : { timeoutMs: this.#timeoutMs };
    const params = request.params && { ...request.params };
    const { task, ...options } = { ...timeout, ...requestOptions };
    const asked =
      task && runsAsTask(request, this.#context)
        ? askAsTask(this.#context, request, { timeoutMs: this.#timeoutMs, ...options })
        : this.#context.request(request.method, params, options);
    const answered = asked.finally(() => {
      this.#waiting -= 1;
    });
    return markHandled(answered.then(read));
  }

  once<Value>(key: string, run: () => Value | Promise<Value>): Promise<Value> {
    this.#results ??= new OnceResults();
    return markHandled(this.#results.run(key, run));
  }
}
