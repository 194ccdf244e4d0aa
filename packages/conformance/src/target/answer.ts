/** The outcome of one exchange with a server: the messages that came back, and both sides as text for the evidence. */
import type { StreamEvent } from "../wire/event-stream.js";
import type { Ending } from "../wire/http-exchange.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";

export interface Answer {
  /** The message that was sent, if it was JSON-RPC. */
  readonly request: JsonObject | undefined;
  /** Everything that was sent and received, as text. */
  readonly sent: string;
  readonly received: string;
  /** Every JSON value that came back, in order. */
  readonly messages: readonly unknown[];
  /** Lines and events that are no JSON. */
  readonly garbage: readonly string[];
  /** The result or error among the messages. */
  readonly response: JsonObject | undefined;
  /** Why there is no answer, or why it could not be read. */
  readonly problem: string | undefined;
  /** HTTP only. */
  readonly http: HttpSide | undefined;
}

export interface HttpSide {
  readonly verb: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly events: readonly StreamEvent[];
  readonly ending: Ending;
}

/** The problem of a request without an answer. */
export const NO_ANSWER = "no answer in time";

/** The problem of a reply that begins and does not end. */
export const NO_END = "the reply did not end in time";

/** The problem of a reply that is longer than the limits of the checker. It says nothing about the server. */
export const TOO_LARGE = "the reply is too large to read";

/** The problem of everything that is asked after the time of a run. */
export const TIME_IS_OVER = "the time of the run is over; --max-time allows more";

/** The answer to something that this kind of target does not have, or no longer has. */
export function impossible(problem: string): Answer {
  return {
    request: undefined,
    sent: "",
    received: "",
    messages: [],
    garbage: [],
    response: undefined,
    problem,
    http: undefined,
  };
}

/** Whether more time might have helped. */
export function isLate({ problem }: Answer): boolean {
  return problem === NO_ANSWER || problem === NO_END;
}

export function resultOf(answer: Answer): JsonObject | undefined {
  const result = answer.response?.result;
  return isObject(result) ? result : undefined;
}

export function errorOf(answer: Answer): JsonObject | undefined {
  const error = answer.response?.error;
  return isObject(error) ? error : undefined;
}

/** A short description of an answer for "but got …". */
export function describeAnswer(answer: Answer): string {
  const status = answer.http ? `HTTP ${answer.http.status}` : "";
  const what = describeMessage(answer);
  return [status, what].filter((part) => part !== "").join(", ");
}

function describeMessage(answer: Answer): string {
  const error = errorOf(answer);
  if (error) return `error ${JSON.stringify(error.code)} ${shorten(JSON.stringify(error.message) ?? "", 120)}`;
  if (answer.response) return `a result ${shorten(JSON.stringify(answer.response.result) ?? "undefined", 120)}`;
  if (answer.problem) return answer.problem;
  if (answer.messages.length > 0) return `no answer among ${answer.messages.length} messages`;
  return answer.http ? "no JSON-RPC message" : "no message";
}

export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
