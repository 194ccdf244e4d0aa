/** Rounds of `inputRequired(…)` for runs that wait for their answers: asks the questions, and runs the handler again. */
import { SdkError } from "../../errors/sdk-error.js";
import type { InputResponses } from "../../protocol/input-required.js";
import type { RequestHandler } from "../../routing/router.js";
import type { JsonObject } from "../../runtime/json.js";
import type { ServerContext } from "../server-context.js";
import { checkedInputRequired, isInputRequired } from "./input-required.js";
import { type HandlerRun, rawQuestion } from "./questions.js";

/** Rounds of one handler that returns `inputRequired(…)`. */
const MAX_ROUNDS = 8;

/** A run whose questions wait for their answers. */
interface WaitingRun extends Pick<HandlerRun, "ask"> {
  inputResponses: InputResponses | undefined;
  requestState: string | undefined;
}

/** Asks the questions of a returned `inputRequired(…)` and runs the handler again, until it returns something else. */
export async function askExplicitly(
  handler: RequestHandler<ServerContext>,
  maxRequests: number,
  params: JsonObject,
  context: ServerContext,
  run: WaitingRun,
  first: unknown,
): Promise<unknown> {
  let result = await first;
  for (let round = 0; isInputRequired(result); round += 1) {
    if (round === MAX_ROUNDS) {
      throw new SdkError(
        "too-many-rounds",
        `${context.method} still needs input after ${MAX_ROUNDS} rounds; ask in fewer`,
      );
    }
    const questions = Object.entries(checkedInputRequired(result, context, maxRequests).inputRequests ?? {});
    const answers = await Promise.all(
      questions.map(async ([key, request]) => {
        return [key, await run.ask(rawQuestion(keyIn(round, key), request))] as const;
      }),
    );
    run.inputResponses = Object.fromEntries(answers);
    run.requestState = result.requestState;
    result = await handler(params, context);
  }
  return result;
}

/** The questions of a task need keys of their own, however often a handler uses the same one. */
function keyIn(round: number, key: string): string {
  return round === 0 ? key : `${key}#${round + 1}`;
}
