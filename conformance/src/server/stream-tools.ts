/** Tools that say something before they answer, let go of their stream, or change what the server offers. */
import { setTimeout as wait } from "node:timers/promises";
import type { McpServer } from "parley-mcp/server";

/** The referee wants to see the steps of a tool apart from each other. */
const STEP_MS = 50;

export function addStreamTools(server: McpServer): void {
  server.tool("test_tool_with_logging", { description: "Logs three times" }, async (_, context) => {
    context.log.info("Started");
    await wait(STEP_MS);
    context.log.info("Working");
    await wait(STEP_MS);
    context.log.info("Finished");
    return "Logged three times.";
  });

  server.tool("test_logging_tool", { description: "Logs once" }, (_, context) => {
    context.log.info("Only for clients that asked for it");
    return "Logged once.";
  });

  server.tool("test_tool_with_progress", { description: "Reports progress" }, async (_, context) => {
    for (const done of [0, 50, 100]) {
      await context.progress(done, 100, `${done} of 100`);
      await wait(STEP_MS);
    }
    return "Done.";
  });

  server.tool("test_reconnection", { description: "Lets the client come back for the answer" }, async (_, context) => {
    context.closeStream();
    await wait(2 * STEP_MS);
    return "Welcome back.";
  });

  server.tool("test_trigger_tool_change", { description: "Adds a tool and takes it away again" }, () => {
    const added = server.tool("comes_and_goes", { description: "Soon gone" }, () => "Still here.");
    added.remove();
    return "The tools changed.";
  });

  server.tool("test_trigger_prompt_change", { description: "Says that the prompts changed" }, () => {
    server.announce.promptsChanged();
    return "The prompts changed.";
  });
}
