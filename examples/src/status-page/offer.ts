/** What a server offers, asked the way every client asks: through a connection, here one in the same process. */
import { Client } from "parley-mcp/client";
import type { McpServer } from "parley-mcp/server";

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
  await using client = await Client.connect(server, { name: "status-page", version: "1.0.0" });
  const offer = { tools: [] as Offered[], resources: [] as Offered[], prompts: [] as Offered[] };
  for await (const { name, description = "" } of client.tools()) offer.tools.push({ name, description });
  for await (const { uri, title, name } of client.resources()) {
    offer.resources.push({ name: uri, description: title ?? name });
  }
  for await (const { uriTemplate, title, name } of client.resourceTemplates()) {
    offer.resources.push({ name: uriTemplate, description: title ?? name });
  }
  for await (const { name, description = "" } of client.prompts()) offer.prompts.push({ name, description });
  return { name: server.info.title ?? server.info.name, revisions: server.revisions, ...offer };
}
