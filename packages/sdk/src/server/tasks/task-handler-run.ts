/** One run of a handler inside a task, in either era. A question is stored with the task, and the handler waits for the answer. */
import { checkDuration } from "../../errors/option-checks.js";
import { ProtocolError } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import type { InputResponses } from "../../protocol/input-required.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { markHandled } from "../../runtime/maybe-promise.js";
import { timerMs } from "../../runtime/timers.js";
import type { TaskRun } from "../../tasks/task-work.js";
import type { HandlerRun, Question } from "../input/questions.js";

/** The member of a stored answer that says that the client refused a question. */
const REFUSAL = "io.parley/refusal";

export class TaskHandlerRun implements HandlerRun {
  inputResponses: InputResponses | undefined;
  requestState: string | undefined;
  readonly #run: TaskRun;
  readonly #counts = new Map<string, number>();

  constructor(run: TaskRun) {
    this.#run = run;
  }

  ask<Answer>({ request, key, requestOptions, read }: Question<Answer>): Promise<Answer> {
    const { signal, timeoutMs = Number.POSITIVE_INFINITY } = requestOptions ?? {};
    const ownKey = key ?? this.#nextKey(request.method);
    const ask = (ended: AbortSignal | undefined) => this.#run.ask(ownKey, { ...request }, { signal: ended });
    return markHandled(askWithin(timeoutMs, signal, ask).then((answer) => read(unlessRefused(answer))));
  }

  once<Value>(key: string, run: () => Value | Promise<Value>): Promise<Value> {
    return this.#run.once(key, run);
  }

  /** The method and a running number, such as `elicitation/create#1`. A further run asks in the same order. */
  #nextKey(method: string): string {
    const count = (this.#counts.get(method) ?? 0) + 1;
    this.#counts.set(method, count);
    return `${method}#${count}`;
  }
}

/** Withdraws a question that has no answer after `ms`. @throws {SdkError} `request-timeout` then */
async function askWithin(
  ms: number,
  signal: AbortSignal | undefined,
  ask: (signal: AbortSignal | undefined) => Promise<JsonObject>,
): Promise<JsonObject> {
  checkDuration("timeoutMs", ms);
  if (ms === Number.POSITIVE_INFINITY) return ask(signal);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(unanswered(ms)), timerMs(ms));
  timer.unref?.();
  try {
    return await ask(signal ? AbortSignal.any([signal, late.signal]) : late.signal);
  } finally {
    clearTimeout(timer);
  }
}

function unanswered(ms: number): SdkError {
  return new SdkError("request-timeout", `The question of the task was not answered within ${ms} ms`);
}

/** The stored answer for a question that a legacy client answered with an error. */
export function refusedAnswer({ code, message }: ProtocolError): JsonObject {
  return { [REFUSAL]: { code, message } };
}

/** @throws {ProtocolError} the error that the client answered with. */
function unlessRefused(answer: JsonObject): JsonObject {
  const refusal = answer[REFUSAL];
  if (!isJsonObject(refusal)) return answer;
  throw new ProtocolError(Number(refusal.code), String(refusal.message));
}
