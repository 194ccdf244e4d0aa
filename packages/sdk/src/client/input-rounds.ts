/** The step that answers a server's questions (`input_required`) and sends the call again, until the result is complete. */
import { SdkError } from "../errors/sdk-error.js";
import type { InputRequest, InputRequiredResult } from "../protocol/input-required.js";
import type { JsonObject } from "../runtime/json.js";
import type { CallStep, ClientCall, SendCall } from "./client-call.js";
import type { InputResponder } from "./input-handlers.js";
import type { Negotiated } from "./negotiation.js";
import type { UnfinishedCalls } from "./unfinished-calls.js";

/** The parts of a client that answer the questions of a call. */
export interface QuestionAnswerer {
  /** Answers one question. The questions of a round are answered in parallel. */
  readonly responder: Pick<InputResponder, "answer">;
  readonly connection: Negotiated;
  readonly unfinished: UnfinishedCalls;
}

export interface InputRoundsOptions extends QuestionAnswerer {
  readonly maxRounds: number;
  /** Questions in one round. */
  readonly maxRequests: number;
}

/** The methods that a server may answer with questions. */
const ASKING_METHODS: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

export function mayAskForInput(method: string): boolean {
  return ASKING_METHODS.has(method);
}

export function answerInputRequests(options: InputRoundsOptions): CallStep {
  return (call, next) => (mayAskForInput(call.method) ? runRounds(call, next, options) : next(call));
}

/** @throws {SdkError} `too-many-rounds` for more than `maxRounds`, `too-large` for more than `maxRequests` in one round. */
async function runRounds(
  call: ClientCall,
  next: SendCall,
  { maxRounds, maxRequests, ...answerer }: InputRoundsOptions,
): Promise<JsonObject> {
  const { method } = call;
  let result = await next(call);
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
    // Each round is another request, with another id.
    const { id: _used, ...options } = call.options;
    result = await next({ method, params: await retryParams(call, asked, answerer), options });
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

/**
 * Answers questions of a call in parallel. Their handlers get a signal that aborts when the caller aborts the call, the client
 * is closed, or another of the questions fails. A user may take hours to answer, so the call does not wait for the answer then.
 */
export function answerQuestions(
  { method, options }: ClientCall,
  questions: readonly InputRequest[],
  { responder, connection, unfinished }: QuestionAnswerer,
): Promise<JsonObject[]> {
  const { revision } = connection.negotiated;
  return unfinished.run(method, options.signal, async (round) => {
    const { signal } = round;
    try {
      return await Promise.all(questions.map((question) => responder.answer(question, { signal, revision })));
    } catch (error) {
      round.abort(error);
      throw error;
    }
  });
}

/** The params of the first request, with the answers and the server's `requestState`. */
async function retryParams(
  call: ClientCall,
  { inputRequests, requestState }: InputRequiredResult,
  answerer: QuestionAnswerer,
): Promise<JsonObject> {
  const retry: JsonObject = { ...call.params };
  if (inputRequests !== undefined) {
    const answers = await answerQuestions(call, Object.values(inputRequests), answerer);
    retry.inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key, index) => [key, answers[index]]));
  }
  if (requestState !== undefined) retry.requestState = requestState;
  return retry;
}
