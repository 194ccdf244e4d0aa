/** Tools that run as tasks. */
import { setTimeout as sleep } from "node:timers/promises";
import { type McpServer, ProtocolError, ToolError } from "parley-mcp/server";
import { ErrorCode } from "parley-mcp/types";
import { z } from "zod";

const task = { mode: "optional", pollIntervalMs: 100 } as const;

export function addTaskTools(server: McpServer): void {
  server.tool(
    "greet",
    { description: "Greets at once", input: z.object({ name: z.string() }) },
    ({ name }) => `Hello, ${name}!`,
  );

  server.tool(
    "slow_compute",
    {
      description: "Takes its time",
      input: z.object({ seconds: z.number(), label: z.string().default("compute") }),
      task,
    },
    async ({ seconds, label }, context) => {
      await sleep(seconds * 1_000, undefined, { signal: context.signal });
      return `${label} took ${seconds} s`;
    },
  );

  server.tool(
    "failing_job",
    { description: "Fails in a way that the model should see", task: { ...task, mode: "required" } },
    async () => {
      await sleep(1_000);
      throw new ToolError("This job always fails.");
    },
  );

  server.tool("protocol_error_job", { description: "Fails as a request", task }, async () => {
    await sleep(100);
    throw new ProtocolError(ErrorCode.internalError, "This job always crashes.");
  });

  server.tool(
    "confirm_delete",
    { description: "Asks before it deletes", input: z.object({ filename: z.string() }), task },
    async ({ filename }, context) => {
      const schema = z.object({ confirm: z.boolean() });
      const { action, content } = await context.elicit({ message: `Delete ${filename}?`, schema }, { key: "confirm" });
      return action === "accept" && content.confirm ? `Deleted ${filename}` : `Kept ${filename}`;
    },
  );

  server.tool("multi_input", { description: "Asks two questions at once", task }, async (_, context) => {
    const answers = await Promise.all([
      context.elicit({ message: "What is your name?", schema: z.object({ name: z.string() }) }, { key: "name" }),
      context.elicit({ message: "Are you sure?", schema: z.object({ confirm: z.boolean() }) }, { key: "confirm" }),
    ]);
    return `The user answered: ${JSON.stringify(answers)}`;
  });

  server.tool(
    "test_tool_with_task",
    { description: "Asks for a name, then becomes a task", task: { ...task, mode: "required", starts: "later" } },
    async (_, context) => {
      const schema = z.object({ name: z.string() });
      const { content } = await context.elicit({ message: "What is your name?", schema }, { key: "user_name" });
      await context.startTask();
      return `Hello, ${content?.name ?? "whoever you are"}!`;
    },
  );
}
