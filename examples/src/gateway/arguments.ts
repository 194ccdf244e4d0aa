/** Arguments of prompts and variables of templates: what they may be, and suggestions that come from upstream. */
import type { Client } from "parley-mcp/client";
import type { Completer } from "parley-mcp/server";
import type { CompletionReference, JsonSchema, PromptArgument } from "parley-mcp/types";

/** Prompts list their arguments without a schema; each of them is a text. */
export function promptSchema(args: readonly PromptArgument[]): JsonSchema {
  const properties = args.map(
    ({ name, title, description }) => [name, { type: "string", title, description }] as const,
  );
  const required = args.filter((each) => each.required).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(properties), required };
}

export function completersFor(
  upstream: Client,
  ref: CompletionReference,
  names: readonly string[],
): Record<string, Completer> {
  if (!upstream.serverCapabilities?.completions) return {};
  const completer =
    (name: string): Completer =>
    async (value, settled) =>
      (await upstream.complete({ ref, argument: { name, value }, context: { arguments: { ...settled.arguments } } }))
        .completion;
  return Object.fromEntries(names.map((name) => [name, completer(name)]));
}
