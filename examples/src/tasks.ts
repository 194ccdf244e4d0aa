/** Tasks: a long-running tool whose result is awaited, fetched later by another client, or not wanted any more. */
import { setTimeout } from "node:timers/promises";
import { Client, SdkError } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { reopenTask, serveTasks, startTool, tasks } from "parley-mcp/tasks";
import { z } from "zod";

const server = new McpServer({ name: "bakery", version: "1.0.0", tasks: serveTasks() });

server.tool("bake", { task: { mode: "required", pollIntervalMs: 50 } }, async (_args, context) => {
  const schema = z.object({ kind: z.string() });
  const { content } = await context.elicit({ message: "Which cake?", schema }, { key: "kind" });
  await context.progress(1, 2, "in the oven");
  await setTimeout(100, undefined, { signal: context.signal });
  return `A ${content?.kind ?? "plain"} cake`;
});

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  const elicit = () => ({ action: "accept" as const, content: { kind: "lemon" } });
  const options = { name: "example", version: "1.0.0", revisions: [revision], extensions: [tasks], elicit };
  const client = await Client.connect(server, options);

  const { content } = await client.callTool("bake");
  console.log("awaited:", JSON.stringify(content));

  // What is stored is plain JSON, and survives the process.
  const stored = JSON.stringify(await startTool(client, "bake"));
  await client.close();

  await using later = await Client.connect(server, options);
  const handle = reopenTask(later, JSON.parse(stored));
  const result = await handle.result({ onProgress: ({ message }) => console.log("meanwhile:", message) });
  console.log("fetched later:", JSON.stringify(result.content), (await handle.status()).status);

  const unwanted = await startTool(later, "bake");
  await unwanted.cancel();
  await unwanted.result().catch((error: unknown) => {
    if (!(error instanceof SdkError)) throw error;
    console.log("cancelled:", error.code);
  });
}
