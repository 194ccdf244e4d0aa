/** Runs a handler that may ask its client: round by round in the modern era, in one go in the legacy one. */
import { owned } from "../../errors/owned.js";
import { SdkError } from "../../errors/sdk-error.js";
import { requiredCapabilities } from "../../protocol/answer-rules.js";
import type { InputRequest, InputRequiredResult, InputResponses } from "../../protocol/input-required.js";
import { isJsonObject, type JsonObject } from "../../protocol/json.js";
import type { Revision } from "../../protocol/revisions.js";
import { explain } from "../../protocol/shape.js";
import { inputRequiredResultShape } from "../../protocol/shapes/input-required.js";
import { requireOpen } from "../../routing/request-context.js";
import type { RequestHandler } from "../../routing/router.js";
import { compileForm, downgradeForm } from "../../schema/form-schema.js";
import { beginRun, connectionOf, type ServerContext } from "../server-context.js";
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
  const state =
    typeof requestState === "string"
      ? // Only this server seals, so what opens is what it sealed.
        ((await seal.open(requestState, bindingOf(context, request))) as RoundState)
      : undefined;
  // Handlers may change their arguments, and the retry brings them as they were.
  const asSent = textOf(request);
  const own = state ? state.own && withAnswers(state.own, inputResponses) : unboundRound(inputResponses);
  const round = new ReplayRound(state, inputResponses);
  beginRun(context, round, own?.answers, own?.state);
  requireOpen(context);
  let result: unknown;
  try {
    result = await handler(params, context);
  } catch (error) {
    if (!round.isSuspended) throw error;
  }
  if (!round.isSuspended && !isInputRequired(result)) return result;
  const sealNext = async (next: RoundState) => {
    if (asSent === undefined) return seal.seal(next, bindingOf(context, request));
    if (asSent.length > LONG_TEXT) await nextTurn();
    return seal.seal(next, bindingOf(context, JSON.parse(asSent)));
  };
  if (round.isSuspended) return round.suspend((next) => sealNext({ ...next, own }));
  // It was one or the other, just above.
  const asked = checkedRound(result as InputRequiredResult, context);
  const carried = await round.carried();
  return needsState(asked, carried)
    ? { ...asked, requestState: await sealNext({ ...carried, own: ownRound(asked) }) }
    : asked;
}

function bindingOf(context: ServerContext, params: JsonObject): StateBinding {
  return { principal: context.caller?.principal, method: context.method, params };
}

/** Whether there is something to bring back; and a round without questions is nothing without a state. */
function needsState({ inputRequests = {}, requestState }: InputRequiredResult, { answers, once }: RoundState): boolean {
  const isEmpty = (entries: object) => Object.keys(entries).length === 0;
  return requestState !== undefined || isEmpty(inputRequests) || !isEmpty(answers) || !isEmpty(once);
}

/** A round without a state leaves no trace, so whatever is answered may be an answer to it. */
function unboundRound(responses: unknown): OwnRound | undefined {
  // That they are answers was checked with the params; whose, only the author can tell.
  return isJsonObject(responses) ? { asked: {}, answers: responses as InputResponses } : undefined;
}

/** Reading it once more takes as long as reading the request did, and nothing else would be served meanwhile. */
const LONG_TEXT = 65_536;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}

/** Undefined for what JSON cannot express, which an in-process call may carry as long as nothing has to be sealed. */
function textOf(request: JsonObject): string | undefined {
  try {
    return JSON.stringify(request);
  } catch {
    return undefined;
  }
}

/** Only what the request's client declared may be asked of it, only what is a question, and as its revision writes it. */
function checkedRound(result: InputRequiredResult, context: ServerContext): InputRequiredResult {
  const fault = inputRequiredResultShape(result);
  if (fault) {
    throw new SdkError("invalid-result", `the handler of ${context.method} returned: ${explain(fault, "result")}`);
  }
  const { inputRequests } = result;
  if (!inputRequests) return result;
  const requests = Object.entries(inputRequests).map(([key, request]) => {
    context.requireCapabilities(requiredCapabilities(request, context.revision));
    return [key, owned(`inputRequests.${key}`, () => inRevision(request, context.revision))] as const;
  });
  return { ...result, inputRequests: Object.fromEntries(requests) };
}

/** A form goes out as `context.elicit` would send it, and what no form can express does not. */
function inRevision(request: InputRequest, revision: Revision): InputRequest {
  if (request.method !== "elicitation/create" || request.params.mode === "url") return request;
  const { requestedSchema } = compileForm({ ...request.params.requestedSchema });
  return { ...request, params: { ...request.params, requestedSchema: downgradeForm(requestedSchema, revision) } };
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
  const asking = new LegacyAsking(context, (id) => connectionOf(context).watch.elicitations.start(id));
  beginRun(context, asking, undefined, undefined);
  let result = await handler(params, context);
  for (let round = 0; isInputRequired(result); round += 1) {
    if (round === MAX_LEGACY_ROUNDS) {
      throw new SdkError("too-many-rounds", `${context.method} still needs input after ${MAX_LEGACY_ROUNDS} rounds`);
    }
    const questions = Object.entries(checkedRound(result, context).inputRequests ?? {});
    const answers = await Promise.all(
      questions.map(async ([key, request]) => [key, await asking.ask(rawQuestion(key, request))] as const),
    );
    beginRun(context, asking, Object.fromEntries(answers), result.requestState);
    result = await handler(params, context);
  }
  return result;
}
