/** A round that an author spelled out, as it goes to the client. */
import { owned } from "../../errors/owned.js";
import { SdkError } from "../../errors/sdk-error.js";
import { pageUrlComplaint, requiredCapabilities } from "../../protocol/answer-rules.js";
import type { InputRequest, InputRequiredResult } from "../../protocol/input-required.js";
import type { Revision } from "../../protocol/revisions.js";
import { explain } from "../../protocol/shape.js";
import { inputRequiredResultShape } from "../../protocol/shapes/input-required.js";
import { compileForm, downgradeForm } from "../../schema/form-schema.js";
import type { ServerContext } from "../server-context.js";
import { tooManyQuestions } from "./asking.js";

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
    context.requireCapabilities(requiredCapabilities(request, context.revision));
    return [key, owned(`inputRequests.${key}`, () => inRevision(request, context.revision))] as const;
  });
  return { ...result, inputRequests: Object.fromEntries(requests) };
}

/** A form goes out as `context.elicit` would send it, and what no form can express does not. */
function inRevision(request: InputRequest, revision: Revision): InputRequest {
  if (request.method !== "elicitation/create") return request;
  if (request.params.mode === "url") {
    // Which schemes are opened is the client's to say.
    const complaint = pageUrlComplaint(request.params.url, "any");
    if (complaint !== undefined) throw new SdkError("invalid-argument", `params.url: ${complaint}`);
    return request;
  }
  const { requestedSchema } = compileForm({ ...request.params.requestedSchema });
  return { ...request, params: { ...request.params, requestedSchema: downgradeForm(requestedSchema, revision) } };
}
