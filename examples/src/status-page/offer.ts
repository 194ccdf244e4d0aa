/** What a server offers, asked the way every client asks: through a connection, here one in the same process. */

import { Client } from "parley-mcp/client";
import type { McpServer } from "parley-mcp/server";
import type { Tool } from "parley-mcp/types";

interface Offered {
  readonly name: string;
  readonly description: string;
}

export interface Offer {
  readonly name: string;
  readonly revisions: readonly string[];
  readonly tools: readonly Offered[];
  readonly resources: readonly Offered[];
  readonly prompts: readonly Offered[];
}

export async function readOffer(server: McpServer): Promise<Offer> {
  // Only this revision lists which tools run as tasks.
  await using client = await Client.connect(server, { name: "status-page", version: "1.0.0", revision: "2025-11-25" });
  const offer = { tools: [] as Offered[], resources: [] as Offered[], prompts: [] as Offered[] };
  for await (const tool of client.tools()) offer.tools.push({ name: tool.name, description: toolDescription(tool) });
  for await (const { uri, title, name } of client.resources()) {
    offer.resources.push({ name: uri, description: title ?? name });
  }
  for await (const { uriTemplate, title, name } of client.resourceTemplates()) {
    offer.resources.push({ name: uriTemplate, description: title ?? name });
  }
  for await (const { name, description = "" } of client.prompts()) offer.prompts.push({ name, description });
  return { name: server.info.title ?? server.info.name, revisions: server.revisions, ...offer };
}

/** The description of a tool, and how to see its page or its task. */
function toolDescription({ description = "", _meta, execution }: Tool): string {
  const parts = [description];
  if (_meta?.ui !== undefined)
    parts.push("It is an app, see above: hosts with MCP Apps show its page, such as Claude or VS Code.");
  if (execution?.taskSupport !== undefined) {
    parts.push('It can run as a task: call it by startTool of "parley-mcp/tasks", and follow the handle.');
  }
  return parts.join(". ");
}
