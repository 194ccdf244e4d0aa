/** The HTTP headers of the protocol, and which part of a message each of them mirrors. Names in lower case. */
import type { JsonObject } from "../runtime/json.js";

export const HttpHeader = {
  revision: "mcp-protocol-version",
  method: "mcp-method",
  name: "mcp-name",
  session: "mcp-session-id",
  lastEventId: "last-event-id",
} as const;

/** The prefix of headers that mirror arguments of a tool. */
export const PARAM_HEADER_PREFIX = "mcp-param-";

const NAME_FIELDS: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/**
 * The value of `Mcp-Name` for a request; undefined if its method has no such header, or its params no such name.
 * @param field the param that the definition of the method mirrors; by default the specification's
 */
export function mirroredName(
  method: string,
  params: JsonObject | undefined,
  field: string | undefined = NAME_FIELDS.get(method),
): string | undefined {
  const value = field === undefined ? undefined : params?.[field];
  return typeof value === "string" ? value : undefined;
}
