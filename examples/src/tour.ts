/** The guided tour: one server and one client in this process, once in each era, with every message on the screen. */

import { connectInProcess } from "parley-mcp/testing";
import type { Revision } from "parley-mcp/types";
import { createGreenhouse } from "./greenhouse-server.js";
import { describeEntry, heading, paint } from "./wire-view.js";

const server = createGreenhouse();

for (const revision of ["2025-11-25", "2026-07-28"] as const) await walkThrough(revision);

console.log(heading("The same handlers served both. In your own code:"));
console.log(`
  import { Client } from "parley-mcp/client";
  import { McpServer } from "parley-mcp/server";

  await using client = await Client.connect(server, { name: "me", version: "1.0.0" });
  await client.callTool("water", { bed: "north", liters: 4 });
`);

async function walkThrough(revision: Revision): Promise<void> {
  const era = revision === "2026-07-28" ? "modern: every request stands alone" : "legacy: a handshake first";
  console.log(heading(`${revision}, ${era}`));
  await using client = await connectInProcess(server, {
    name: "tour",
    version: "1.0.0",
    over: "json-rpc",
    revisions: [revision],
    record: (entry) => console.log(describeEntry(entry)),
  });
  tell(`connected to ${client.serverInfo?.name}, which says: ${client.instructions}`);

  for await (const tool of client.tools()) tell(`it has a tool: ${tool.name}, ${tool.description}`);

  const watered = await client.callTool(
    "water",
    { bed: "north", liters: 4 },
    { onProgress: ({ message }) => tell(`progress: ${message}`) },
  );
  tell(`the structured answer: ${JSON.stringify(watered.structuredContent)}`);

  const refused = await client.callTool("water", { bed: "moon", liters: 4 });
  tell(`a failure the model can read: ${JSON.stringify(refused.content[0])}`);

  const { completion } = await client.complete({
    ref: { type: "ref/resource", uri: "greenhouse://beds/{bed}" },
    argument: { name: "bed", value: "s" },
  });
  tell(`beds that start with "s": ${completion.values.join(", ")}`);

  const { contents } = await client.readResource("greenhouse://beds/south");
  tell(`the south bed: ${JSON.stringify(contents[0])}`);

  const prompt = await client.getPrompt("diagnose", { symptom: "yellow leaves" });
  tell(`a prompt: ${JSON.stringify(prompt.messages[0]?.content)}`);
}

function tell(text: string): void {
  console.log(paint("dim", `                 ${text}`));
}
