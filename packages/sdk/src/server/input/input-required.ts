/** The raw form of asking: a handler that spells out what it needs and reads the answers from its context. */
import { SdkError } from "../../errors/sdk-error.js";
import type { InputRequests, InputRequiredResult } from "../../protocol/input-required.js";
import { isJsonObject } from "../../protocol/json.js";
import { type ExtensionResult, isExtensionResult } from "../../routing/result-type.js";

const MEMBERS = ["inputRequests", "requestState", "_meta"];

/**
 * Ends a call that needs input. The client answers and calls again; the answers are in `context.inputResponses` then, and
 * the state in `context.requestState`. Legacy clients are asked by real requests.
 * @throws {SdkError} `invalid-argument` for members that it does not have.
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

/** Whether a handler returned something else than a finished result: a question, or what an extension will finish. */
export function isUnfinished(value: unknown): value is InputRequiredResult | ExtensionResult {
  return isInputRequired(value) || isExtensionResult(value);
}
