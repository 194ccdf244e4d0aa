/** JSON-RPC messages as they arrive: parsed JSON whose fields are unknown until a check has looked at them. */

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON value of a text, or `undefined` for text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
