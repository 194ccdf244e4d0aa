/** Runs a handler that may ask its client: round by round in the modern era, in one go in the legacy one. */

import { checkDuration } from "../../dispatch/deadline.js";
import { checkLimit, SdkError } from "../../errors/sdk-error.js";
import type { JsonObject } from "../../protocol/json.js";
import type { RequestHandler } from "../../routing/router.js";
import { isPromiseLike } from "../../runtime/maybe-promise.js";
import { beginRun, connectionOf, type ServerContext } from "../server-context.js";
import type { McpServerOptions } from "../server-options.js";
import { checkedRound } from "./checked-round.js";
import { isInputRequired } from "./input-required.js";
import { LegacyAsking } from "./legacy-asking.js";
import { type InputSettings, runModern } from "./modern-run.js";
import { rawQuestion } from "./questions.js";
import { StateSeal } from "./state-seal.js";

/** How often a legacy client is asked on behalf of one handler that spells its rounds out. */
const MAX_LEGACY_ROUNDS = 8;

const DEFAULT_MAX_INPUT_REQUESTS = 64;
/** As long as the state of a modern call holds. */
const DEFAULT_QUESTION_TIMEOUT_MS = 600_000;

/** @throws {SdkError} `invalid-argument` for options of the state that are out of range. */
export function inputSettings({
  requestState,
  maxInputRequests = DEFAULT_MAX_INPUT_REQUESTS,
  questionTimeoutMs = DEFAULT_QUESTION_TIMEOUT_MS,
}: Pick<McpServerOptions, "requestState" | "maxInputRequests" | "questionTimeoutMs">): InputSettings {
  checkLimit("maxInputRequests", maxInputRequests);
  checkDuration("questionTimeoutMs", questionTimeoutMs);
  return { seal: new StateSeal(requestState), maxRequests: maxInputRequests, timeoutMs: questionTimeoutMs };
}

export function withInput(
  handler: RequestHandler<ServerContext>,
  settings: InputSettings,
): RequestHandler<ServerContext> {
  return (params, context) =>
    context.era === "modern"
      ? runModern(handler, settings, params, context)
      : runLegacy(handler, settings, params, context);
}

/** What is answered without waiting is there at once. */
function runLegacy(
  handler: RequestHandler<ServerContext>,
  settings: InputSettings,
  params: JsonObject,
  context: ServerContext,
): unknown {
  const asking = new LegacyAsking(context, settings, (id) => connectionOf(context).watch.elicitations.start(id));
  beginRun(context, asking, undefined, undefined);
  const result = handler(params, context);
  if (!isPromiseLike(result) && !isInputRequired(result)) return result;
  return askAsSpelledOut(handler, settings.maxRequests, params, context, asking, result);
}

async function askAsSpelledOut(
  handler: RequestHandler<ServerContext>,
  maxRequests: number,
  params: JsonObject,
  context: ServerContext,
  asking: LegacyAsking,
  first: unknown,
): Promise<unknown> {
  let result = await first;
  for (let round = 0; isInputRequired(result); round += 1) {
    if (round === MAX_LEGACY_ROUNDS) {
      throw new SdkError("too-many-rounds", `${context.method} still needs input after ${MAX_LEGACY_ROUNDS} rounds`);
    }
    const questions = Object.entries(checkedRound(result, context, maxRequests).inputRequests ?? {});
    const answers = await Promise.all(
      questions.map(async ([key, request]) => [key, await asking.ask(rawQuestion(key, request))] as const),
    );
    beginRun(context, asking, Object.fromEntries(answers), result.requestState);
    result = await handler(params, context);
  }
  return result;
}
