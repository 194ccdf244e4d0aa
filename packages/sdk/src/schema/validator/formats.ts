/** The values of `format` that are enforced; any other is a note. Each check takes time in line with the text. */
import { isEmail, isHostname, isIpv4, isIpv6 } from "./address-formats.js";
import { isDate, isDateTime, isDuration, isTime } from "./date-formats.js";
import { isJsonPointer, isRelativeJsonPointer, isUri, isUriReference, isUriTemplate } from "./uri-formats.js";

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
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
  ["uuid", (text) => uuid.test(text)],
]);

function isRegex(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}
