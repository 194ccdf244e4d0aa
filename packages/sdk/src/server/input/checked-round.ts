/** A round that an author spelled out, as it goes to the client. */
import { SdkError, withErrorPrefix } from "../../errors/sdk-error.js";
import type { InputRequiredResult } from "../../protocol/input-required.js";
import { explain } from "../../protocol/shape.js";
import { inputRequiredResultShape } from "../../protocol/shapes/input-required.js";
import { connectionOf, requireAskable, type ServerContext } from "../server-context.js";
import { tooManyQuestions } from "./asking.js";
import { writtenFor } from "./question-rules.js";

/** Only what the request's client declared may be asked of it, only what is a question, and as its revision writes it. */
export function checkedRound(
  result: InputRequiredResult,
  context: ServerContext,
  maxRequests: number,
): InputRequiredResult {
  const fault = inputRequiredResultShape(result);
  if (fault) {
    throw new SdkError("invalid-result", `the handler of ${context.method} returned: ${explain(fault, "result")}`);
  }
  const { inputRequests } = result;
  if (!inputRequests) return result;
  const count = Object.keys(inputRequests).length;
  if (count > maxRequests) throw tooManyQuestions(context.method, maxRequests);
  const requests = Object.entries(inputRequests).map(([key, request]) => {
    requireAskable(context, request);
    const written = () => writtenFor(request, context.revision, connectionOf(context).pageSchemes);
    return [key, withErrorPrefix(`inputRequests.${key}`, written)] as const;
  });
  return { ...result, inputRequests: Object.fromEntries(requests) };
}
