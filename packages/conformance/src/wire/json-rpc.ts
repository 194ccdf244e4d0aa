/** JSON-RPC messages as they arrive: parsed JSON whose fields are unknown until a check has looked at them. */

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deeper values would overflow the stack of functions that walk them, such as `JSON.stringify`. */
const MAX_DEPTH = 1000;

/** The JSON value of a text, or `undefined` for text that is no JSON or is nested too deep. */
export function parseJson(text: string): unknown {
  try {
    return isDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Counts the brackets outside strings: a reviver or a walk over the value would be as deep as the value. */
function isDeep(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isString = !isString;
    else if (isString) at += code === BACKSLASH ? 1 : 0;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** A result or an error. Its id may be missing or of any type. */
export function isResponse(message: unknown): message is JsonObject {
  return isObject(message) && !("method" in message) && ("result" in message || "error" in message);
}

export function isRequest(message: unknown): message is JsonObject {
  return isObject(message) && typeof message.method === "string" && message.id !== undefined;
}

export function isNotification(message: unknown): message is JsonObject {
  return isObject(message) && typeof message.method === "string" && message.id === undefined;
}

/** The messages that one JSON value holds: itself, or the members of a batch. */
export function messagesOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}
