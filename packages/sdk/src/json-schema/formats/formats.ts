/** The values of `format` that are asserted; others are annotations. Each check takes linear time. */
import type { Budget } from "../../runtime/work-budget.js";
import { MAX_PATTERN_LENGTH, parseNative } from "../patterns/pattern-matcher.js";
import { isEmail, isHostname, isIpv4, isIpv6 } from "./address-formats.js";
import { isDate, isDateTime, isDuration, isTime } from "./date-formats.js";
import { isJsonPointer, isRelativeJsonPointer, isUri, isUriReference, isUriTemplate } from "./uri-formats.js";

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const FORMATS: ReadonlyMap<string, (text: string, budget: Budget) => boolean> = new Map([
  ["date", isDate],
  ["date-time", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["json-pointer", isJsonPointer],
  ["regex", isRegex],
  ["relative-json-pointer", isRelativeJsonPointer],
  ["time", isTime],
  ["uri", isUri],
  ["uri-reference", isUriReference],
  ["uri-template", isUriTemplate],
  ["uuid", (text) => UUID.test(text)],
]);

/** @throws RangeError for a text that is too long, or the error of the budget */
function isRegex(text: string, budget: Budget): boolean {
  if (text.length > MAX_PATTERN_LENGTH) {
    throw new RangeError(`the format regex is checked for texts of up to ${MAX_PATTERN_LENGTH} characters`);
  }
  try {
    parseNative(text, budget);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
