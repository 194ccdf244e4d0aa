/** `inputRequired(…)`: a handler returns its questions as a result, and reads the answers from its context in the next run. */
import { SdkError, withErrorPrefix } from "../../errors/sdk-error.js";
import type { InputRequests, InputRequiredResult } from "../../protocol/input-required.js";
import { inputRequiredResultShape } from "../../protocol/input-required.js";
import { explain } from "../../protocol/shape.js";
import { type ExtensionResult, isExtensionResult } from "../../routing/result-type.js";
import { isJsonObject } from "../../runtime/json.js";
import type { ServerContext } from "../server-context.js";
import { adaptToRevision } from "./question-rules.js";
import { tooManyQuestions } from "./questions.js";

const MEMBERS = ["inputRequests", "requestState", "_meta"];

/**
 * Ends a run with questions. The client answers and calls again. The next run reads the answers from `context.inputResponses`
 * and the state from `context.requestState`. Legacy clients are asked by requests instead.
 * @throws {SdkError} `invalid-argument` for an unknown member.
 *
 * @example
 * server.tool("where", (_args, { inputResponses }) => {
 *   if (!inputResponses) return inputRequired({ inputRequests: { roots: { method: "roots/list" } } });
 *   return JSON.stringify(inputResponses.roots);
 * });
 */
export function inputRequired(needed: {
  readonly inputRequests?: InputRequests;
  readonly requestState?: string;
}): InputRequiredResult {
  const unknown = Object.keys(needed).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) {
    throw new SdkError(
      "invalid-argument",
      `inputRequired: unknown member "${unknown}"; write inputRequired({ inputRequests, requestState })`,
    );
  }
  return { resultType: "input_required", ...needed };
}

export function isInputRequired(value: unknown): value is InputRequiredResult {
  return isJsonObject(value) && value.resultType === "input_required";
}

/** Whether a handler returned `inputRequired(…)` or a result of an extension, instead of a finished result. */
export function isUnfinished(value: unknown): value is InputRequiredResult | ExtensionResult {
  return isInputRequired(value) || isExtensionResult(value);
}

/**
 * Checks an `inputRequired(…)` result, and converts its questions to the revision of the request.
 * @throws {SdkError} `invalid-result` for a malformed result, `too-large` for too many questions.
 * @throws {ProtocolError} for a question whose capability the client did not declare.
 */
export function checkedInputRequired(
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
  const served = context.routed;
  const requests = Object.entries(inputRequests).map(([key, request]) => {
    served.requireAskable(request);
    const written = () => adaptToRevision(request, context.revision, served.connection.pageSchemes);
    return [key, withErrorPrefix(`inputRequests.${key}`, written)] as const;
  });
  return { ...result, inputRequests: Object.fromEntries(requests) };
}
