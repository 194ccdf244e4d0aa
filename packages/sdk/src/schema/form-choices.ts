/** Choices in a form: reads `enum`, `const` and unions of constants, and writes the choices that the protocol defines. */
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";

/** One value to choose from. */
export interface Choice {
  readonly value: unknown;
  /** The text that the user sees in place of the value. */
  readonly label?: string;
}

interface TextChoice extends Choice {
  readonly value: string;
}

/** The choices of a schema; undefined if it is no choice between constants. */
export function choicesOf(schema: JsonObject): readonly Choice[] | undefined {
  if (Object.hasOwn(schema, "const")) return [{ value: schema.const }];
  if (Array.isArray(schema.enum)) return schema.enum.map((value: unknown) => ({ value }));
  const options = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(options)) return undefined;
  const choices: Choice[] = [];
  for (const option of options) {
    const labeled = isJsonObject(option) ? labeledChoices(option) : undefined;
    if (labeled === undefined) return undefined;
    choices.push(...labeled);
  }
  return choices;
}

function labeledChoices(option: JsonObject): readonly Choice[] | undefined {
  const choices = choicesOf(option);
  // The protocol has no description for an option, so the title holds it.
  const label = option.title ?? option.description;
  if (choices?.length !== 1 || typeof label !== "string") return choices;
  return choices.map(({ value }) => ({ value, label }));
}

/**
 * The keywords for a choice of one.
 * @throws SdkError `invalid-argument` unless there are choices, all of them strings
 */
export function singleChoice(choices: readonly Choice[], name: string): JsonObject {
  const texts = textChoices(choices, name);
  return hasLabels(texts) ? { oneOf: titledOptions(texts) } : { enum: texts.map(({ value }) => value) };
}

/**
 * The schema of the items in a choice of several.
 * @throws SdkError `invalid-argument` unless there are choices, all of them strings
 */
export function choiceItems(choices: readonly Choice[], name: string): JsonObject {
  const texts = textChoices(choices, name);
  return hasLabels(texts) ? { anyOf: titledOptions(texts) } : { type: "string", enum: texts.map(({ value }) => value) };
}

/** The choices in order. Repetitions are dropped: `enum` forbids them, and `oneOf` would reject the value. */
function textChoices(choices: readonly Choice[], name: string): readonly TextChoice[] {
  const byValue = new Map<string, TextChoice>();
  for (const { value, ...rest } of choices) {
    if (typeof value !== "string") throw formRefusal([name], "a form's choices are strings");
    byValue.set(value, { value, ...rest });
  }
  if (byValue.size === 0) throw formRefusal([name], "there must be something to choose from");
  return [...byValue.values()];
}

function hasLabels(choices: readonly TextChoice[]): boolean {
  return choices.some(({ label }) => label !== undefined);
}

function titledOptions(choices: readonly TextChoice[]): JsonObject[] {
  return choices.map(({ value, label = value }) => ({ const: value, title: label }));
}

/**
 * The error for a schema that no form can express. It names the field, or the form as a whole if the path is empty:
 * `schema.address: a form has no nested objects`.
 */
export function formRefusal(path: readonly string[], message: string): SdkError {
  return new SdkError("invalid-argument", describeIssues([{ path, message }], "schema"));
}
