/** Asking in the legacy era: a real request to the client, related to the one being served, and the handler waits. */
import { unwatched } from "../../dispatch/unwatched.js";
import type { RequestContext } from "../../routing/request-context.js";
import type { Asking, Question } from "./asking.js";
import { OnceResults } from "./once-results.js";

export class LegacyAsking implements Asking {
  readonly #context: RequestContext;
  readonly #onPage: ((elicitationId: string) => void) | undefined;
  #results: OnceResults | undefined;

  /** `onPage` hears of every page that the client is asked to open. */
  constructor(context: RequestContext, onPage?: (elicitationId: string) => void) {
    this.#context = context;
    this.#onPage = onPage;
  }

  ask<Answer>({ request, read }: Question<Answer>): Promise<Answer> {
    const elicitationId = request.params && "elicitationId" in request.params && request.params.elicitationId;
    if (typeof elicitationId === "string") this.#onPage?.(elicitationId);
    const asked = this.#context.request(request.method, request.params && { ...request.params });
    return unwatched(asked.then(read));
  }

  once<Value>(key: string, run: () => Value | Promise<Value>): Promise<Value> {
    this.#results ??= new OnceResults();
    return unwatched(this.#results.run(key, run));
  }
}
