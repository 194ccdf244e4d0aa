/** Runs a handler that may ask its client: round by round in the modern era, in one go in the legacy one. */
import { SdkError } from "../../errors/sdk-error.js";
import { requiredCapabilities } from "../../protocol/answer-rules.js";
import type { InputRequiredResult } from "../../protocol/input-required.js";
import { isJsonObject, type JsonObject } from "../../protocol/json.js";
import { explain } from "../../protocol/shape.js";
import { inputRequiredResultShape } from "../../protocol/shapes/input-required.js";
import type { RequestHandler } from "../../routing/router.js";
import { beginRun, type ServerContext } from "../server-context.js";
import { isInputRequired } from "./input-required.js";
import { LegacyAsking } from "./legacy-asking.js";
import { rawQuestion, readRaw } from "./questions.js";
import { type OwnRound, ReplayRound, type RoundState } from "./replay-round.js";
import type { StateBinding } from "./state-binding.js";
import type { StateSeal } from "./state-seal.js";

/** How often a legacy client is asked on behalf of one handler that spells its rounds out. */
const MAX_LEGACY_ROUNDS = 8;

export function withInput(handler: RequestHandler<ServerContext>, seal: StateSeal): RequestHandler<ServerContext> {
  return (params, context) =>
    context.era === "modern" ? serveRound(handler, seal, params, context) : serveInOneGo(handler, params, context);
}

async function serveRound(
  handler: RequestHandler<ServerContext>,
  seal: StateSeal,
  params: JsonObject,
  context: ServerContext,
): Promise<unknown> {
  const { _meta, inputResponses, requestState, ...request } = params;
  const binding: StateBinding = { principal: undefined, method: context.method, params: request };
  // Only this server seals, so what opens is what it sealed.
  const state = typeof requestState === "string" ? ((await seal.open(requestState, binding)) as RoundState) : undefined;
  // Handlers may change their arguments, and the retry brings them as they were.
  const asSent = textOf(request);
  const sealNext = (next: RoundState) =>
    seal.seal(next, asSent === undefined ? binding : { ...binding, params: JSON.parse(asSent) });
  const own = state?.own && withAnswers(state.own, inputResponses);
  const round = new ReplayRound(state, inputResponses);
  beginRun(context, round, own?.answers, own?.state);
  let result: unknown;
  try {
    result = await handler(params, context);
  } catch (error) {
    if (!round.isSuspended) throw error;
  }
  if (round.isSuspended) return round.suspend((next) => sealNext({ ...next, own }));
  if (!isInputRequired(result)) return result;
  requireSupport(result, context);
  const next: RoundState = { ...(await round.carried()), own: ownRound(result) };
  return { ...result, requestState: await sealNext(next) };
}

/** Undefined for what JSON cannot express, which an in-process call may carry as long as nothing has to be sealed. */
function textOf(request: JsonObject): string | undefined {
  try {
    return JSON.stringify(request);
  } catch {
    return undefined;
  }
}

/** Only what the request's client declared may be asked of it, and only what is a question. */
function requireSupport(result: InputRequiredResult, context: ServerContext): void {
  const fault = inputRequiredResultShape(result);
  if (fault) {
    throw new SdkError("invalid-result", `the handler of ${context.method} returned: ${explain(fault, "result")}`);
  }
  const { inputRequests = {} } = result;
  for (const request of Object.values(inputRequests)) {
    context.requireCapabilities(requiredCapabilities(request, context.revision));
  }
}

/** A raw state is sealed like any other, so that its author need not. */
function ownRound({ inputRequests = {}, requestState }: InputRequiredResult): OwnRound {
  const asked = Object.entries(inputRequests).map(([name, { method }]) => [name, method] as const);
  return { state: requestState, asked: Object.fromEntries(asked) };
}

/** The answers of a round are read once: what a client sends later belongs to other questions. */
function withAnswers(own: OwnRound, responses: unknown): OwnRound {
  if (own.answers) return own;
  const answers = Object.entries(own.asked).flatMap(([name, method]) => {
    const answer = isJsonObject(responses) && Object.hasOwn(responses, name) ? responses[name] : undefined;
    return isJsonObject(answer) ? [[name, readRaw(method, answer)] as const] : [];
  });
  return { ...own, answers: Object.fromEntries(answers) };
}

async function serveInOneGo(
  handler: RequestHandler<ServerContext>,
  params: JsonObject,
  context: ServerContext,
): Promise<unknown> {
  const asking = new LegacyAsking(context);
  beginRun(context, asking, undefined, undefined);
  let result = await handler(params, context);
  for (let round = 0; isInputRequired(result); round += 1) {
    if (round === MAX_LEGACY_ROUNDS) {
      throw new SdkError("too-many-rounds", `${context.method} still needs input after ${MAX_LEGACY_ROUNDS} rounds`);
    }
    requireSupport(result, context);
    const questions = Object.entries(result.inputRequests ?? {});
    const answers = await Promise.all(
      questions.map(async ([key, request]) => [key, await asking.ask(rawQuestion(key, request))] as const),
    );
    beginRun(context, asking, Object.fromEntries(answers), result.requestState);
    result = await handler(params, context);
  }
  return result;
}
