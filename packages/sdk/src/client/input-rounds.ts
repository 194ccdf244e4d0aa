/** A call that the server answers with questions: answered, and made again, until it is done. */
import { SdkError } from "../errors/sdk-error.js";
import type { InputRequest, InputRequiredResult } from "../protocol/input-required.js";
import type { JsonObject } from "../protocol/json.js";
import { unlessAborted } from "./patience.js";

export interface RoundsOptions {
  /** Answers one question. The questions of a round are answered side by side. */
  readonly answer: (request: InputRequest) => Promise<JsonObject>;
  readonly maxRounds: number;
  /** How many questions one round may hold. */
  readonly maxRequests: number;
  /** Gives up the call, also while questions are being answered. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws {SdkError} `too-many-rounds` when the server goes on asking, `too-large` when it asks too much at once. */
export async function runRounds(
  method: string,
  params: JsonObject,
  send: (params: JsonObject, round: number) => Promise<JsonObject>,
  { answer, maxRounds, maxRequests, signal }: RoundsOptions,
): Promise<JsonObject> {
  let result = await send(params, 0);
  for (let round = 1; result.resultType === "input_required"; round += 1) {
    if (round > maxRounds) {
      throw new SdkError(
        "too-many-rounds",
        `${method} still asks after ${maxRounds} rounds; raise maxInputRounds if that is right`,
      );
    }
    // The connection has checked the shape of the result.
    const asked = result as unknown as InputRequiredResult;
    checkNumberOfRequests(method, Object.keys(asked.inputRequests ?? {}).length, maxRequests);
    const answering = retryParams(params, asked, answer);
    // A user may take hours to answer; a call that is given up does not wait for them.
    result = await send(await unlessAborted(answering, method, signal), round);
  }
  return result;
}

/** @throws {SdkError} `too-large`, before any handler is called. */
export function checkNumberOfRequests(method: string, count: number, maxRequests: number): void {
  if (count <= maxRequests) return;
  throw new SdkError(
    "too-large",
    `${method} asks ${count} questions in one round, ${maxRequests} are allowed; raise maxInputRequests if that is right`,
  );
}

/** The same params with the answers beside them, and the state as it came, to the letter. */
async function retryParams(
  params: JsonObject,
  { inputRequests, requestState }: InputRequiredResult,
  answer: RoundsOptions["answer"],
): Promise<JsonObject> {
  const retry: JsonObject = { ...params };
  if (inputRequests !== undefined) {
    const answers = Object.entries(inputRequests).map(async ([key, request]) => [key, await answer(request)] as const);
    retry.inputResponses = Object.fromEntries(await Promise.all(answers));
  }
  if (requestState !== undefined) retry.requestState = requestState;
  return retry;
}
