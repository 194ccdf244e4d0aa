/** What the checker answers when a server asks its client for a form, a model or the roots. */
import { isObject, type JsonObject } from "../wire/json-rpc.js";

/** The capabilities of a client that can be asked for anything. */
export const ASKABLE: JsonObject = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** The capability that each kind of question needs. */
export const QUESTION_CAPABILITIES: Readonly<Record<string, string>> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/** An answer that fits a question. */
export function cannedAnswer({ method, params }: JsonObject): JsonObject {
  if (method === "roots/list") return { roots: [{ uri: "file:///parley-check", name: "parley-check" }] };
  if (method === "sampling/createMessage") {
    return {
      role: "assistant",
      content: { type: "text", text: "parley-check" },
      model: "parley-check",
      stopReason: "endTurn",
    };
  }
  const { requestedSchema, mode } = isObject(params) ? params : {};
  if (mode === "url") return { action: "accept" };
  return { action: "accept", content: filledForm(requestedSchema) };
}

/** A value for every field of a form. */
function filledForm(schema: unknown): JsonObject {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fieldValue(field)]));
}

const TEXT_OF_FORMAT: Readonly<Record<string, string>> = {
  email: "parley-check@example.com",
  uri: "https://example.com/",
  date: "2026-07-28",
  "date-time": "2026-07-28T00:00:00Z",
};

function fieldValue(field: unknown): unknown {
  if (!isObject(field)) return "parley-check";
  if (field.default !== undefined) return field.default;
  const [choice] = choicesOf(field);
  if (field.type === "array") return [choicesOf(isObject(field.items) ? field.items : {})[0] ?? "parley-check"];
  if (choice !== undefined) return choice;
  if (field.type === "boolean") return true;
  if (field.type === "integer" || field.type === "number") return Number(field.minimum ?? 1);
  return TEXT_OF_FORMAT[String(field.format)] ?? "parley-check".padEnd(Number(field.minLength ?? 0), "!");
}

function choicesOf({ enum: values, oneOf, anyOf }: JsonObject): unknown[] {
  if (Array.isArray(values)) return values;
  const titled = Array.isArray(oneOf) ? oneOf : anyOf;
  return Array.isArray(titled) ? titled.filter(isObject).map(({ const: value }) => value) : [];
}
