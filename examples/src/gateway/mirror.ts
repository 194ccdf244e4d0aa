/** Offers on one server what another one offers, and goes on doing so when that changes. */
import type { Client, Subscription } from "parley-mcp/client";
import { parseTemplate } from "parley-mcp/client";
import type { ItemRegistration, McpServer } from "parley-mcp/server";
import type {
  CallToolResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from "parley-mcp/types";
import { completersFor, promptSchema } from "./arguments.js";
import type { PassingOn } from "./passing-on.js";

type List = "tools" | "resources" | "prompts";

export class Mirror {
  readonly #upstream: Client;
  readonly #server: McpServer;
  readonly #passing: PassingOn;
  readonly #offered: Record<List, ItemRegistration[]> = { tools: [], resources: [], prompts: [] };
  #updates: Subscription | undefined;

  constructor(upstream: Client, server: McpServer, passing: PassingOn) {
    this.#upstream = upstream;
    this.#server = server;
    this.#passing = passing;
  }

  /** Offers what is offered upstream, and from then on what is offered there then. Resolves once it is there. */
  async start(): Promise<void> {
    const changes = await this.#upstream.listen({ tools: true, prompts: true, resources: true });
    await this.#updateAll();
    void this.#follow(changes);
  }

  async #follow(changes: Subscription): Promise<void> {
    for await (const { kind } of changes) {
      if (kind === "restored") await this.#updateAll();
      else if (kind !== "resource" && kind !== "extension") await this.#update(kind);
    }
  }

  async #updateAll(): Promise<void> {
    for (const list of ["tools", "resources", "prompts"] as const) {
      if (this.#upstream.serverCapabilities?.[list]) await this.#update(list);
    }
  }

  async #update(list: List): Promise<void> {
    if (list === "tools") {
      const tools = await all(this.#upstream.tools());
      this.#offer(list, () => tools.map((tool) => this.#offerTool(tool)));
    } else if (list === "prompts") {
      const prompts = await all(this.#upstream.prompts());
      this.#offer(list, () => prompts.map((prompt) => this.#offerPrompt(prompt)));
    } else {
      const resources = await all(this.#upstream.resources());
      const templates = await all(this.#upstream.resourceTemplates());
      this.#offer(list, () => [
        ...resources.map((resource) => this.#offerResource(resource)),
        ...templates.map((template) => this.#offerTemplate(template)),
      ]);
      await this.#watch(resources.map(({ uri }) => uri));
    }
  }

  /** In one go, so that callers hear of it once and never see half of it. */
  #offer(list: List, register: () => ItemRegistration[]): void {
    for (const registration of this.#offered[list]) registration.remove();
    this.#offered[list] = register();
  }

  async #watch(uris: readonly string[]): Promise<void> {
    const before = this.#updates;
    // The new subscription before the old one ends, so that nothing goes unheard.
    this.#updates = await this.#upstream.listen({ resource: uris });
    void this.#announce(this.#updates);
    await before?.close();
  }

  async #announce(updates: Subscription): Promise<void> {
    for await (const change of updates)
      if (change.kind === "resource") this.#server.announce.resourceUpdated(change.uri);
  }

  #offerTool({ name, inputSchema: input, outputSchema: output, _meta: meta, ...shown }: Tool): ItemRegistration {
    return this.#server.tool(name, { ...shown, meta, input, ...(output && { output }) }, (args, context) =>
      this.#passing.request<CallToolResult>(this.#upstream, "tools/call", { name, arguments: args }, context),
    );
  }

  #offerResource({ uri, _meta: meta, ...shown }: Resource): ItemRegistration {
    return this.#server.resource(uri, { ...shown, meta }, (_request, context) =>
      this.#passing.request<ReadResourceResult>(this.#upstream, "resources/read", { uri }, context),
    );
  }

  #offerTemplate({ uriTemplate, _meta: meta, ...shown }: ResourceTemplate): ItemRegistration {
    const { variables } = parseTemplate(uriTemplate);
    const complete = completersFor(this.#upstream, { type: "ref/resource", uri: uriTemplate }, variables);
    return this.#server.resourceTemplate(uriTemplate, { ...shown, meta, complete }, ({ uri }, context) =>
      this.#passing.request<ReadResourceResult>(this.#upstream, "resources/read", { uri }, context),
    );
  }

  #offerPrompt({ name, arguments: args = [], _meta: meta, ...shown }: Prompt): ItemRegistration {
    const names = args.map((each) => each.name);
    const complete = completersFor(this.#upstream, { type: "ref/prompt", name }, names);
    return this.#server.prompt(name, { ...shown, meta, input: promptSchema(args), complete }, (given, context) =>
      this.#passing.request<GetPromptResult>(this.#upstream, "prompts/get", { name, arguments: given }, context),
    );
  }
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
