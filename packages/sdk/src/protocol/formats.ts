/** Shapes of formatted values. Servers check the values that they send, clients those that they receive. */
import { isBase64 } from "../runtime/base64.js";
import { formatted, numberFrom, type Shape } from "./shape.js";

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** A type and a subtype. Parameters are not checked. */
const MIME_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:[ \\t]*;|$)`);
/** A client must reject icons of any other scheme. */
const ICON_SOURCE = /^(?:https|data):./i;

export const base64Shape: Shape = formatted("base64", isBase64);

export const mimeTypeShape: Shape = formatted("a MIME type such as image/png", (text) => MIME_TYPE.test(text));

export const uriShape: Shape = formatted("an absolute URI such as notes://today", (text) => URL.canParse(text));

export const iconSourceShape: Shape = formatted("an https: or data: URI", (text) => ICON_SOURCE.test(text));

export const priorityShape: Shape = numberFrom(0, 1);
