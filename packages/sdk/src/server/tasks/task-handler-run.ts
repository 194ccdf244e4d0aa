/** One run of a handler inside a task, in either era. A question is stored with the task, and the handler waits for the answer. */
import { ProtocolError } from "../../errors/protocol-error.js";
import type { InputResponses } from "../../protocol/input-required.js";
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { markHandled } from "../../runtime/maybe-promise.js";
import type { TaskRun } from "../../tasks/task-work.js";
import type { HandlerRun, Question } from "../input/questions.js";

/** The member of a stored answer that says that the client refused a question. */
const REFUSAL = "io.parley/refusal";

export class TaskHandlerRun implements HandlerRun {
  inputResponses: InputResponses | undefined;
  requestState: string | undefined;
  readonly isSuspended = false;
  readonly #run: TaskRun;
  readonly #counts = new Map<string, number>();

  constructor(run: TaskRun) {
    this.#run = run;
  }

  ask<Answer>({ request, key, requestOptions, read }: Question<Answer>): Promise<Answer> {
    const { signal } = requestOptions ?? {};
    const asked = this.#run.ask(key ?? this.#nextKey(request.method), { ...request }, { signal });
    return markHandled(asked.then((answer) => read(unlessRefused(answer))));
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
