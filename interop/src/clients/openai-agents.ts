/** The client inside the OpenAI Agents SDK, which is official v2 with a negotiation of its own. */
import type { OpenAiMcpServer } from "../../programs/agents.js";
import { lackAllBut } from "../features.js";
import { type ClientPeer, type Endpoint, type PeerClient, textOf, toolAnswer } from "../peer-client.js";

export const openAiAgents: ClientPeer = {
  name: "OpenAI Agents",
  packageName: "@openai/agents",
  lacks: lackAllBut(
    "not offered to applications",
    ...(["connect", "tools", "structured output", "tool error", "invalid arguments", "unknown tool"] as const),
    ...(["parallel calls", "pagination", "resources", "unknown resource", "templates", "cancellation"] as const),
    "closing",
  ),
  connect: (endpoint) => connect(endpoint),
};

async function connect(endpoint: Endpoint): Promise<PeerClient> {
  const server = await serverAt(endpoint);
  await server.connect();
  return {
    revision: undefined,
    listTools: async () => ({ names: (await server.listTools()).map(({ name }) => name), nextCursor: undefined }),
    callTool: async (name, args, { signal } = {}) =>
      toolAnswer(await server.callToolResult(name, args, undefined, signal && { signal })),
    listResources: async () => (await server.listResources()).resources.map(({ uri }) => uri),
    listTemplates: async () =>
      (await server.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    readResource: async (uri) => textOf((await server.readResource(uri)).contents),
    close: () => server.close(),
  };
}

async function serverAt(endpoint: Endpoint): Promise<OpenAiMcpServer> {
  const { MCPServerSSE, MCPServerStdio, MCPServerStreamableHttp } = await import("../../programs/agents.js");
  if (endpoint.kind === "stdio") return new MCPServerStdio({ command: endpoint.command, args: [...endpoint.args] });
  const options = { url: endpoint.url };
  return endpoint.kind === "sse" ? new MCPServerSSE(options) : new MCPServerStreamableHttp(options);
}
