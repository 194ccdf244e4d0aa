/** Asking in the legacy era: a real request to the client, related to the one being served, and the handler waits. */

import type { RequestContext } from "../../routing/request-context.js";
import { markHandled } from "../../runtime/mark-handled.js";
import { type Asking, type Question, tooManyQuestions } from "./asking.js";
import { OnceResults } from "./once-results.js";

export interface QuestionLimits {
  /** Questions that wait for their answers at the same time. */
  readonly maxRequests: number;
  /** How long a person may take for an answer. */
  readonly timeoutMs: number;
}

export class LegacyAsking implements Asking {
  readonly #context: RequestContext;
  readonly #onPage: ((elicitationId: string) => void) | undefined;
  readonly #maxRequests: number;
  readonly #timeoutMs: number;
  #results: OnceResults | undefined;
  #waiting = 0;

  /** `onPage` hears of every page that the client is asked to open. */
  constructor(context: RequestContext, limits: QuestionLimits, onPage?: (elicitationId: string) => void) {
    this.#context = context;
    this.#maxRequests = limits.maxRequests;
    this.#timeoutMs = limits.timeoutMs;
    this.#onPage = onPage;
  }

  ask<Answer>({ request, waiting, read }: Question<Answer>): Promise<Answer> {
    if (this.#waiting >= this.#maxRequests) {
      return markHandled(Promise.reject(tooManyQuestions(this.#context.method, this.#maxRequests)));
    }
    this.#waiting += 1;
    const elicitationId = request.params && "elicitationId" in request.params && request.params.elicitationId;
    if (typeof elicitationId === "string") this.#onPage?.(elicitationId);
    // Roots are no question to a person.
    const patience = request.method === "roots/list" ? undefined : { timeoutMs: this.#timeoutMs };
    const params = request.params && { ...request.params };
    const asked = this.#context.request(request.method, params, { ...patience, ...waiting });
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
