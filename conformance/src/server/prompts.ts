/** Prompts, one for each kind of content. */
import type { McpServer } from "parley-mcp/server";
import type { ContentBlock, PromptMessage } from "parley-mcp/types";
import { z } from "zod";
import { embedded, image } from "./sample-content.js";

const cities = ["paris", "prague", "porto"];

export function addPrompts(server: McpServer): void {
  server.prompt("test_simple_prompt", { description: "Plain text" }, () => "A simple prompt.");

  server.prompt(
    "test_prompt_with_arguments",
    {
      description: "Text with arguments",
      input: z.object({ arg1: z.string(), arg2: z.string() }),
      complete: { arg1: (typed) => cities.filter((city) => city.startsWith(typed)) },
    },
    ({ arg1, arg2 }) => `The arguments are ${arg1} and ${arg2}.`,
  );

  server.prompt(
    "test_prompt_with_embedded_resource",
    { description: "A resource and text", input: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => [
      fromUser(embedded(resourceUri, "An embedded resource.")),
      fromUser({ type: "text", text: "What does it say?" }),
    ],
  );

  server.prompt("test_prompt_with_image", { description: "An image and text" }, () => [
    fromUser(image),
    fromUser({ type: "text", text: "What does it show?" }),
  ]);
}

function fromUser(content: ContentBlock): PromptMessage {
  return { role: "user", content };
}
