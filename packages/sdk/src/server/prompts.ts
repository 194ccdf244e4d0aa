/** The prompts of a server: `prompts/list` and `prompts/get`. */
import { invalidParams } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import { getPromptResultShape } from "../protocol/prompts.js";
import { explain } from "../protocol/shape.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { shorten } from "../runtime/shorten.js";
import { isUnfinished } from "./input/input-required.js";
import { listFilter, privatePage, type ScopedLists } from "./list-filter.js";
import type { RegisteredPrompt } from "./prompt-definition.js";
import { Registry } from "./registry.js";
import { encodeBlock, encodeEach } from "./returned-content.js";
import type { ServerContext } from "./server-context.js";

export class Prompts {
  readonly registry: Registry<RegisteredPrompt>;

  readonly #lists: ScopedLists;

  constructor(pageSize: number, lists: ScopedLists, onChange: () => void) {
    this.#lists = lists;
    this.registry = new Registry("prompts", pageSize, onChange);
  }

  list(params: JsonObject, context: ServerContext): JsonObject {
    const isListed = listFilter(this.#lists, context, this.registry);
    const page = this.registry.page("prompts", params.cursor, "", (prompt) => prompt.listing, isListed);
    return privatePage(page, isListed !== undefined, context);
  }

  async get(params: JsonObject, context: ServerContext): Promise<JsonObject> {
    const name = String(params.name);
    const prompt = this.registry.get(name);
    if (!prompt) throw invalidParams(`Unknown prompt: ${shorten(name)}`);
    const args = isJsonObject(params.arguments) ? params.arguments : {};
    const checked = await prompt.input.validate(args);
    if (!checked.ok) throw invalidParams(`prompts/get "${name}": ${describeIssues(checked.issues, "arguments")}`);
    context.routed.requireOpen();
    const returned = await prompt.handler(checked.value, context);
    if (isUnfinished(returned)) return { ...returned };
    const result = toPromptResult(returned, prompt.listing.description);
    const fault = getPromptResultShape(result);
    if (fault)
      throw new SdkError("invalid-result", `prompt "${name}" returned no valid result: ${explain(fault, "result")}`);
    return result;
  }
}

function toPromptResult(returned: unknown, description: string | undefined): JsonObject {
  if (isJsonObject(returned)) return { ...returned, messages: encodeEach(returned.messages, encodeMessage) };
  const messages =
    typeof returned === "string"
      ? [{ role: "user", content: { type: "text", text: returned } }]
      : encodeEach(returned, encodeMessage);
  return description === undefined ? { messages } : { description, messages };
}

function encodeMessage(message: unknown): unknown {
  if (!isJsonObject(message)) return message;
  const content = encodeBlock(message.content);
  return content === message.content ? message : { ...message, content };
}
