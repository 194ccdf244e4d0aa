/** The raw form of asking: a handler that spells out what it needs and reads the answers from its context. */

import type { InputRequests, InputRequiredResult } from "../../protocol/input-required.js";
import { isJsonObject } from "../../protocol/json.js";
import { type ExtensionResult, isExtensionResult } from "../../routing/result-type.js";

/**
 * Ends a call that needs input. The client answers and calls again; the answers are in `context.inputResponses` then, and
 * the state in `context.requestState`. Legacy clients are asked by real requests.
 */
export function inputRequired(needed: {
  readonly inputRequests?: InputRequests;
  readonly requestState?: string;
}): InputRequiredResult {
  return { resultType: "input_required", ...needed };
}

export function isInputRequired(value: unknown): value is InputRequiredResult {
  return isJsonObject(value) && value.resultType === "input_required";
}

/** Whether a handler returned something else than a finished result: a question, or what an extension will finish. */
export function isUnfinished(value: unknown): value is InputRequiredResult | ExtensionResult {
  return isInputRequired(value) || isExtensionResult(value);
}
