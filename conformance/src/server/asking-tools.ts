/** Tools that ask the user or the client's model one question. */
import type { McpServer } from "parley-mcp/server";
import { z } from "zod";

export function addAskingTools(server: McpServer): void {
  server.tool(
    "test_sampling",
    { description: "Asks the client's model", input: z.object({ prompt: z.string() }) },
    async ({ prompt }, context) => {
      const { content } = await context.sample({
        messages: [{ role: "user", content: { type: "text", text: prompt } }],
        maxTokens: 100,
      });
      return `The model said: ${JSON.stringify(content)}`;
    },
  );

  server.tool(
    "test_elicitation",
    { description: "Asks the user who they are", input: z.object({ message: z.string() }) },
    async ({ message }, context) => {
      const answer = await context.elicit({ message, schema: z.object({ username: z.string(), email: z.string() }) });
      return `The user answered: ${JSON.stringify(answer)}`;
    },
  );

  server.tool("test_streaming_elicitation", { description: "Asks the user to go on" }, async (_, context) => {
    const { action } = await context.elicit({ message: "Go on?", schema: z.object({ ok: z.boolean() }) });
    return `The user chose: ${action}`;
  });

  server.tool("test_missing_capability", { description: "Works only with a model" }, (_, context) => {
    context.requireCapabilities({ sampling: {} });
    return "There is a model.";
  });

  server.tool(
    "test_elicitation_sep1034_defaults",
    { description: "Shows a form that is filled in" },
    async (_, context) => {
      const answer = await context.elicit({
        message: "Please review",
        schema: z.object({
          name: z.string().default("John Doe"),
          age: z.int().default(30),
          score: z.number().default(95.5),
          status: z.enum(["active", "inactive", "pending"]).default("active"),
          verified: z.boolean().default(true),
        }),
      });
      return `The user answered: ${JSON.stringify(answer)}`;
    },
  );

  const options = [
    { const: "value1", title: "Option 1" },
    { const: "value2", title: "Option 2" },
  ];
  server.tool("test_elicitation_sep1330_enums", { description: "Shows every kind of choice" }, async (_, context) => {
    const answer = await context.elicit({
      message: "Please choose",
      // Plain JSON Schema, since no schema library writes titles and the older `enumNames`.
      schema: {
        type: "object",
        properties: {
          untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
          titledSingle: { type: "string", oneOf: options },
          legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["Option One", "Option Two"] },
          untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2"] } },
          titledMulti: { type: "array", items: { anyOf: options } },
        },
      },
    });
    return `The user answered: ${JSON.stringify(answer)}`;
  });
}
