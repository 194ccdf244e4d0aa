import { McpServer, type ServerContext } from "parley-mcp/server";
import { getTask, serveTasks, tasks } from "parley-mcp/tasks";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

const identity = { name: "studio", version: "1.0.0" };
const task = { mode: "optional", pollIntervalMs: 50, starts: "later" } as const;
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const name = (context: ServerContext) =>
  context.elicit({ message: "Who are you?", schema: z.object({ name: z.string() }) }, { key: "name" });
const elicit = () => ({ action: "accept" as const, content: { name: "Ada" } });

verifies(
  "tasks:extension:starts-later",
  "a question before startTask is a round of the call, and a question after startTask belongs to the created task",
  async ({ connect, wire }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("greet", { task }, async (_args, context) => {
      const { content } = await name(context);
      const before = context.taskId;
      await context.startTask();
      await context.startTask();
      await context.progress(1, 1, `Greeting ${content?.name}`);
      const again = await context.elicit({ message: "Sure?", schema: z.object({ name: z.string() }) }, { key: "sure" });
      return `${content?.name}, ${again.content?.name}: ${before} ${context.taskId}`;
    });
    const client = await connect(server, { extensions: [tasks], elicit });

    const result = await client.callTool("greet");
    const answers = wire.from("server").map((message) => JSON.stringify(message));
    const created = answers.findIndex((answer) => answer.includes('"resultType":"task"'));
    const asked = answers.findIndex((answer) => answer.includes('"Who are you?"'));
    const askedAgain = answers.findIndex((answer) => answer.includes('"Sure?"'));
    expect(result).toMatchObject({ content: [{ text: expect.stringMatching(/^Ada, Ada: undefined [0-9a-f]{40}$/) }] });
    expect(asked).toBeLessThan(created);
    expect(created).toBeLessThan(askedAgain);
  },
);

verifies(
  "tasks:extension:starts-later:without",
  "startTask does nothing for a client without the extension, and the handler goes on inside the call",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("greet", { task }, async (_args, context) => {
      const { content } = await name(context);
      await context.startTask();
      return `Hello, ${content?.name}: ${context.taskId}`;
    });
    const client = await connect(server, { elicit });

    expect(await client.callTool("greet")).toMatchObject(text("Hello, Ada: undefined"));
  },
);

verifies(
  "tasks:extension:starts-later:misuse",
  "startTask rejects with the reason while a question is open, and in a tool without the option task",
  async ({ connect }) => {
    const refusals: unknown[] = [];
    const server = new McpServer({ ...identity, tasks: serveTasks() });
    server.tool("hasty", { task }, async (_args, context) => {
      const asking = name(context);
      await context.startTask().catch((error: Error) => refusals.push(error.message));
      return (await asking).action;
    });
    server.tool("plain", async (_args, context) => {
      await context.startTask().catch((error: Error) => refusals.push(error.message));
      return "done";
    });
    const client = await connect(server, { extensions: [tasks], elicit });

    expect(await client.request("tools/call", { name: "hasty" })).toMatchObject({ resultType: "input_required" });
    expect(await client.callTool("plain")).toMatchObject(text("done"));
    expect(refusals).toEqual([
      expect.stringContaining("await the answers to all questions"),
      expect.stringContaining('give the tool the option "task"'),
    ]);
    await expect(client.request(getTask, { taskId: "0".repeat(40) })).rejects.toMatchObject({ code: -32602 });
  },
);
