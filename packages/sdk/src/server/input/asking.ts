/** How a handler's questions reach its client. One implementation per era: legacy-asking.ts and replay-round.ts. */
import type { RequestOptions } from "../../dispatch/dispatcher.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { InputRequest } from "../../protocol/input-required.js";
import type { JsonObject } from "../../protocol/json.js";

/** How a question is named and how long its answer is waited for. */
export interface QuestionOptions {
  /** Names the question; needed where the order of parallel questions varies. */
  readonly key?: string | undefined;
  /**
   * Reject if no answer arrives for this long. Legacy only: in the modern era the call has ended meanwhile, and the state
   * that it left expires.
   * @defaultValue the server's questionTimeoutMs, for roots its timeoutMs
   */
  readonly timeoutMs?: number | undefined;
  /** Aborting it rejects the question, and has a legacy client told to stop. */
  readonly signal?: AbortSignal | undefined;
}

/** One thing a handler wants to know. */
export interface Question<Answer> {
  readonly request: InputRequest;
  /** The author's own name for it; without one it is numbered by its kind. */
  readonly key: string | undefined;
  /** Legacy only: how long to wait for the answer. In the modern era nobody waits. */
  readonly waiting?: Pick<RequestOptions, "timeoutMs" | "signal"> | undefined;
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

/** What is left of the options once the question is on its way. */
export function waitingOf({ timeoutMs, signal }: QuestionOptions): Question<unknown>["waiting"] {
  return { ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }) };
}
