/** What checks say about answers. Each throws a verdict that the runner catches. */
import { type Answer, describeAnswer, errorOf, resultOf, shorten } from "../target/answer.js";
import type { JsonObject } from "../wire/json-rpc.js";
import type { Severity } from "./report.js";

/** Thrown by a check whose server is wrong. */
export class ExpectationFailed extends Error {
  override readonly name = "ExpectationFailed";
  readonly expected: string;
  readonly got: string;
  /** The highest severity, where the broken sentence is weaker than the others that the check decides. */
  readonly atMost: Severity | undefined;

  constructor(expected: string, got: string, atMost?: Severity) {
    super(`expected ${expected}, got ${got}`);
    this.expected = expected;
    this.got = got;
    this.atMost = atMost;
  }
}

/** Thrown by a check that cannot decide: the server lacks the feature, or nothing of it was seen. */
export class Undecided extends Error {
  override readonly name = "Undecided";
  readonly outcome: "not applicable" | "not observed";

  constructor(outcome: "not applicable" | "not observed", reason: string) {
    super(reason);
    this.outcome = outcome;
  }
}

export function notObserved(reason: string): never {
  throw new Undecided("not observed", reason);
}

export function notApplicable(reason: string): never {
  throw new Undecided("not applicable", reason);
}

export function want(isRight: boolean, expected: string, got: unknown): asserts isRight {
  if (!isRight) throw new ExpectationFailed(expected, typeof got === "string" ? got : show(got));
}

/** The first value that is there twice. */
export function repeatedIn(values: readonly unknown[]): unknown {
  const seen = new Set<unknown>();
  return values.find((value) => seen.size === seen.add(value).size);
}

export function show(value: unknown): string {
  return shorten(JSON.stringify(value) ?? String(value), 200);
}

/** The result of an answer. */
export function wantResult(answer: Answer, expected = "a result"): JsonObject {
  const result = resultOf(answer);
  want(result !== undefined, expected, describeAnswer(answer));
  return result;
}

/** The error of an answer, with one of the codes if there are any. */
export function wantError(answer: Answer, ...codes: readonly number[]): JsonObject {
  const error = errorOf(answer);
  const expected = codes.length === 0 ? "an error" : `error ${codes.join(" or ")}`;
  want(
    error !== undefined && (codes.length === 0 || codes.includes(Number(error.code))),
    expected,
    describeAnswer(answer),
  );
  return error;
}

/**
 * A refusal with a code of JSON-RPC. Serving the message breaks a MUST. Another code is a warning: the specification states the codes
 * without a key word. Over HTTP the body of a refusal is optional.
 */
export function wantRefusedAs(answer: Answer, code: number): void {
  wantRefusal(answer);
  const error = errorOf(answer);
  if (error === undefined || error.code === code) return;
  throw new ExpectationFailed(`error ${code}`, describeAnswer(answer), "warning");
}

export function wantStatus(answer: Answer, ...statuses: readonly number[]): void {
  want(
    answer.http !== undefined && statuses.includes(answer.http.status),
    `HTTP ${statuses.join(" or ")}`,
    describeAnswer(answer),
  );
}

/** An answer that refuses: a JSON-RPC error, or a status of 400 and above. */
export function wantRefusal(answer: Answer): void {
  const isRefused = errorOf(answer) !== undefined || (answer.http !== undefined && answer.http.status >= 400);
  want(isRefused, "a refusal", describeAnswer(answer));
}

/** An answer that serves the request: a result, or an error of the application and not of the transport. */
export function wantServed(answer: Answer): void {
  want(resultOf(answer) !== undefined, "the request to be served", describeAnswer(answer));
}
