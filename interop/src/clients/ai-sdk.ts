/** The client of the AI SDK, which is an implementation of its own. */
import { createMCPClient, ElicitationRequestSchema } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { lack } from "../features.js";
import {
  type ClientPeer,
  type Endpoint,
  fillIn,
  isRecord,
  type PeerClient,
  textOf,
  toolAnswer,
  type Wanted,
} from "../peer-client.js";

export const aiSdk: ClientPeer = {
  name: "AI SDK",
  packageName: "@ai-sdk/mcp",
  lacks: {
    ...lack("notifications are not handed on", "progress", "progress in one burst", "logging", "resumption"),
    ...lack("notifications are not handed on", "listen", "resource updates", "list changes"),
    ...lack("not implemented", "completion", "ping", "URL elicitation", "sampling", "roots", "input rounds"),
    ...lack("left to the application", "session forgotten"),
  },
  connect: (endpoint, wanted) => connect(endpoint, wanted),
};

async function connect(endpoint: Endpoint, { era }: Wanted): Promise<PeerClient> {
  const client = await createMCPClient({
    clientName: "interop",
    capabilities: { elicitation: {} },
    protocolVersionDiscovery: era === "modern",
    onUncaughtError: () => undefined,
    transport:
      endpoint.kind === "stdio"
        ? new Experimental_StdioMCPTransport({ command: endpoint.command, args: [...endpoint.args], stderr: "ignore" })
        : { type: endpoint.kind, url: endpoint.url },
  });
  client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => ({
    action: "accept",
    content: fillIn(params.requestedSchema),
  }));
  return {
    revision: client.initializeResult.protocolVersion,
    listTools: async (cursor) => {
      const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { params: { cursor } });
      return { names: tools.map(({ name }) => name), nextCursor };
    },
    callTool: async (name, args, { signal } = {}) =>
      toolAnswer(await client.callTool({ name, arguments: args, ...(signal && { options: { signal } }) })),
    listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    readResource: async (uri) => textOf((await client.readResource({ uri })).contents),
    listTemplates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    listPrompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    getPrompt: async (name, args) => {
      const [message] = (await client.getPrompt({ name, arguments: args })).messages;
      return isRecord(message) ? textOf([message.content]) : "";
    },
    close: () => client.close(),
  };
}
