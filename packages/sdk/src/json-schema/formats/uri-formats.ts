/** URIs of RFC 3986, URI templates of RFC 6570, and JSON Pointers. */
import { isIpv6 } from "./address-formats.js";

const COMPONENTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const SCHEME = /^[a-z][a-z\d+.-]*$/i;
const AUTHORITY_PARTS = /^(?:([^@]*)@)?(?:\[([^\]]*)\]|([^:[\]]*))(?::\d*)?$/;
const USER_INFO = /^[\w.~!$&'()*+,;=:%-]*$/;
const REGISTERED_NAME = /^[\w.~!$&'()*+,;=%-]*$/;
const FUTURE_ADDRESS = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;
const PATH = /^[\w.~!$&'()*+,;=:@/%-]*$/;
const QUERY_OR_FRAGMENT = /^[\w.~!$&'()*+,;=:@/?%-]*$/;
const BROKEN_ESCAPE = /%(?![\da-f]{2})/i;
const COLON_IN_FIRST_SEGMENT = /^[^/]*:/;

const TEMPLATE_EXPRESSION = /\{[^{}]*\}/g;
const TEMPLATE_VARIABLE = String.raw`(?:\w|%[\dA-Fa-f]{2})(?:\.?(?:\w|%[\dA-Fa-f]{2}))*(?::[1-9]\d{0,3}|\*)?`;
const WELL_FORMED_EXPRESSION = new RegExp(
  String.raw`^\{[+#./;?&=,!@|]?${TEMPLATE_VARIABLE}(?:,${TEMPLATE_VARIABLE})*\}$`,
);
const OUTSIDE_TEMPLATE_LITERALS = /[\0-\x20\x7f"<>\\^`{|}]/;

const BROKEN_POINTER_ESCAPE = /~(?![01])/;
const LEVELS_UP = /^(?:0|[1-9]\d*)/;

export function isUri(text: string): boolean {
  return isUriReference(text) && COMPONENTS.exec(text)?.[1] !== undefined;
}

export function isUriReference(text: string): boolean {
  const [, schemeName, authority, pathText = "", query = "", fragment = ""] = COMPONENTS.exec(text) as string[]; // it matches any text
  if (BROKEN_ESCAPE.test(text)) return false;
  if (schemeName !== undefined && !SCHEME.test(schemeName)) return false;
  if (authority !== undefined && !isAuthority(authority)) return false;
  if (schemeName === undefined && authority === undefined && COLON_IN_FIRST_SEGMENT.test(pathText)) return false;
  return PATH.test(pathText) && QUERY_OR_FRAGMENT.test(query) && QUERY_OR_FRAGMENT.test(fragment);
}

export function isUriTemplate(text: string): boolean {
  const literals = text.replace(TEMPLATE_EXPRESSION, (found) => (WELL_FORMED_EXPRESSION.test(found) ? "" : "{"));
  return !OUTSIDE_TEMPLATE_LITERALS.test(literals) && !BROKEN_ESCAPE.test(literals);
}

export function isJsonPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !BROKEN_POINTER_ESCAPE.test(text));
}

export function isRelativeJsonPointer(text: string): boolean {
  const levels = LEVELS_UP.exec(text)?.[0];
  if (levels === undefined) return false;
  const rest = text.slice(levels.length);
  return rest === "#" || isJsonPointer(rest);
}

function isAuthority(text: string): boolean {
  const parts = AUTHORITY_PARTS.exec(text);
  if (parts === null) return false;
  const [, user = "", address, name = ""] = parts;
  if (!USER_INFO.test(user)) return false;
  return address === undefined ? REGISTERED_NAME.test(name) : isIpv6(address) || FUTURE_ADDRESS.test(address);
}
