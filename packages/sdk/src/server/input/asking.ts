/** How a handler's questions reach its client. One implementation per era: legacy-asking.ts and replay-round.ts. */
import { SdkError } from "../../errors/sdk-error.js";
import type { InputRequest } from "../../protocol/input-required.js";
import type { JsonObject } from "../../protocol/json.js";

/** One thing a handler wants to know. */
export interface Question<Answer> {
  readonly request: InputRequest;
  /** The author's own name for it; without one it is numbered by its kind. */
  readonly key: string | undefined;
  /** What the answer comes to. @throws when it is none. */
  read(answer: JsonObject): Answer | Promise<Answer>;
}

export interface Asking {
  /** Resolves with the client's answer, in this run of the handler or in a later one. */
  ask<Answer>(question: Question<Answer>): Promise<Answer>;
  /** Runs a side effect exactly once, however often the handler runs for one request. */
  once<Value>(key: string, run: () => Value | Promise<Value>): Promise<Value>;
}

export function tooManyQuestions(method: string, maxRequests: number): SdkError {
  return new SdkError(
    "too-large",
    `The handler of ${method} asks more than ${maxRequests} questions at once; raise maxInputRequests if that is right`,
  );
}
