/** Cancellation: a caller gives up, its time runs out, or it goes away, and each time the handler hears of it. */
import { setTimeout } from "node:timers/promises";
import { Client, SdkError } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";

const server = new McpServer({ name: "kitchen", version: "1.0.0" });

server.tool("bake", async (_args, context) => {
  await context.progress(1, 2, "in the oven");
  try {
    // Whatever takes a signal can have this one: timers, fetch, child processes.
    await setTimeout(3_600_000, undefined, { signal: context.signal });
    return "A cake";
  } finally {
    console.log("  (the oven is off)");
  }
});

server.tool("taste", () => "Good");

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  await using client = await Client.connect(server, { name: "example", version: "1.0.0", revisions: [revision] });

  const controller = new AbortController();
  const giveUp = () => controller.abort();
  await showEnd("given up", client.callTool("bake", {}, { signal: controller.signal, onProgress: giveUp }));

  await showEnd("out of time", client.callTool("bake", {}, { timeoutMs: 20 }));

  const { content } = await client.callTool("taste");
  console.log("the connection goes on:", JSON.stringify(content));

  await showEnd("gone", client.callTool("bake", {}, { onProgress: () => void client.close() }));
}

async function showEnd(label: string, call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof SdkError)) throw error;
    console.log(`${label}: ${error.code}, ${error.message}`);
  }
}
