import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../src/verifies.js";

verifies(
  "prompts:get:with-args",
  "the arguments reach the handler, and its text is one message",
  async ({ connect }) => {
    const server = new McpServer({ name: "polite", version: "1.0.0" });
    server.prompt("greet", { input: z.object({ name: z.string() }) }, ({ name }) => `Greet ${name}.`);
    const client = await connect(server);

    const { messages } = await client.getPrompt("greet", { name: "Ada" });

    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Greet Ada." } }]);
  },
);
