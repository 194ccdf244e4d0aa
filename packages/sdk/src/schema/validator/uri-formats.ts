/** URIs as RFC 3986 writes them, URI templates as RFC 6570 does, and JSON Pointers. */
import { isIpv6 } from "./address-formats.js";

const components = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const scheme = /^[a-z][a-z\d+.-]*$/i;
const authorityParts = /^(?:([^@]*)@)?(?:\[([^\]]*)\]|([^:[\]]*))(?::\d*)?$/;
const userInfo = /^[\w.~!$&'()*+,;=:%-]*$/;
const registeredName = /^[\w.~!$&'()*+,;=%-]*$/;
const futureAddress = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;
const path = /^[\w.~!$&'()*+,;=:@/%-]*$/;
const queryOrFragment = /^[\w.~!$&'()*+,;=:@/?%-]*$/;
const brokenEscape = /%(?![\da-f]{2})/i;
const colonInFirstSegment = /^[^/]*:/;

const templateExpression = /\{[^{}]*\}/g;
const variable = String.raw`(?:\w|%[\dA-Fa-f]{2})(?:\.?(?:\w|%[\dA-Fa-f]{2}))*(?::[1-9]\d{0,3}|\*)?`;
const wellFormedExpression = new RegExp(String.raw`^\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\}$`);
const outsideTemplateLiterals = /[\0-\x20\x7f"<>\\^`{|}]/;

const brokenPointerEscape = /~(?![01])/;
const levelsUp = /^(?:0|[1-9]\d*)/;

export function isUri(text: string): boolean {
  return isUriReference(text) && components.exec(text)?.[1] !== undefined;
}

export function isUriReference(text: string): boolean {
  const [, schemeName, authority, pathText = "", query = "", fragment = ""] = components.exec(text) as string[]; // it matches any text
  if (brokenEscape.test(text)) return false;
  if (schemeName !== undefined && !scheme.test(schemeName)) return false;
  if (authority !== undefined && !isAuthority(authority)) return false;
  if (schemeName === undefined && authority === undefined && colonInFirstSegment.test(pathText)) return false;
  return path.test(pathText) && queryOrFragment.test(query) && queryOrFragment.test(fragment);
}

export function isUriTemplate(text: string): boolean {
  const literals = text.replace(templateExpression, (found) => (wellFormedExpression.test(found) ? "" : "{"));
  return !outsideTemplateLiterals.test(literals) && !brokenEscape.test(literals);
}

export function isJsonPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !brokenPointerEscape.test(text));
}

export function isRelativeJsonPointer(text: string): boolean {
  const levels = levelsUp.exec(text)?.[0];
  if (levels === undefined) return false;
  const rest = text.slice(levels.length);
  return rest === "#" || isJsonPointer(rest);
}

function isAuthority(text: string): boolean {
  const parts = authorityParts.exec(text);
  if (parts === null) return false;
  const [, user = "", address, name = ""] = parts;
  if (!userInfo.test(user)) return false;
  return address === undefined ? registeredName.test(name) : isIpv6(address) || futureAddress.test(address);
}
