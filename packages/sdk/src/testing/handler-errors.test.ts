/** The option `throwHandlerErrors` with messages other than calls, and calls whose params are not JSON. */
import { expect, it } from "vitest";
import { z } from "zod";
import { McpServer } from "../server/mcp-server.js";
import { connectInProcess } from "./connect-in-process.js";

it("leaves notifications and the questions of a legacy server alone", async () => {
  const server = new McpServer({ name: "server", version: "1.0.0", onError: () => undefined });
  server.tool("ask", {}, async (_args, context) => {
    const { action } = await context.elicit({ message: "Go on?", schema: z.object({ yes: z.boolean() }) });
    throw new Error(`after ${action}`);
  });
  await using client = await connectInProcess(server, {
    throwHandlerErrors: true,
    revisions: ["2025-11-25"],
    elicit: () => ({ action: "decline" }),
  });
  await client.notify("acme/hello");
  await expect(client.callTool("ask")).rejects.toThrow("after decline");
});

it("fails a call whose params contain themselves when its handler asks", async () => {
  const server = new McpServer({ name: "server", version: "1.0.0", onError: () => undefined });
  server.tool("ask", { input: z.object({}).loose() }, async (_args, context) => {
    const { action } = await context.elicit({ message: "Go on?", schema: z.object({ yes: z.boolean() }) });
    return action;
  });
  await using client = await connectInProcess(server, { elicit: () => ({ action: "decline" }) });
  const args: Record<string, unknown> = {};
  args.self = args;
  expect(await client.callTool("ask", args)).toMatchObject({ isError: true });
});
