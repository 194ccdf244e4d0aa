/** LangChain's adapters, which turn the tools of a server into tools of a model. */
import { lack, lackAllBut } from "../features.js";
import { type ClientPeer, type Endpoint, isRecord, type PeerClient, type ToolAnswer, textOf } from "../peer-client.js";

const SERVER = "peer";

export const langChain: ClientPeer = {
  name: "LangChain",
  packageName: "@langchain/mcp-adapters",
  lacks: {
    ...lackAllBut(
      "not offered to applications",
      ...(["connect", "tools", "structured output", "tool error", "parallel calls"] as const),
      ...(["resources", "templates", "closing"] as const),
    ),
    ...lack("lists once, when it connects", "pagination"),
  },
  connect: (endpoint) => connect(endpoint),
};

async function connect(endpoint: Endpoint): Promise<PeerClient> {
  const { MultiServerMCPClient } = await import("../../programs/agents.js");
  const client = new MultiServerMCPClient({
    mcpServers: { [SERVER]: connectionTo(endpoint) },
    // Plain names, as the server gives them.
    prefixToolNameWithServerName: false,
    useStandardContentBlocks: false,
  });
  let tools = await client.getTools();
  return {
    revision: undefined,
    listTools: async () => {
      tools = await client.getTools();
      return { names: tools.map(({ name }) => name), nextCursor: undefined };
    },
    callTool: async (name, args) => {
      const tool = tools.find((candidate) => candidate.name === name);
      if (!tool) throw new Error(`There is no tool ${name}`);
      try {
        return answerOf(await tool.invoke({ type: "tool_call", id: "1", name, args }));
      } catch (error) {
        return { text: String(error), structured: undefined, isError: true };
      }
    },
    listResources: async () => ((await client.listResources())[SERVER] ?? []).map(({ uri }) => uri),
    listTemplates: async () =>
      ((await client.listResourceTemplates())[SERVER] ?? []).map(({ uriTemplate }) => uriTemplate),
    readResource: async (uri) => textOf(await client.readResource(SERVER, uri)),
    close: () => client.close(),
  };
}

function answerOf({
  content,
  artifact,
  status,
}: {
  content: unknown;
  artifact?: unknown;
  status?: string;
}): ToolAnswer {
  const parts: unknown[] = Array.isArray(artifact) ? artifact : [artifact];
  const structured = parts.filter(isRecord).find(({ type }) => type === "mcp_structured_content");
  return {
    text: typeof content === "string" ? content : textOf(content),
    structured: structured?.data,
    isError: status === "error",
  };
}

function connectionTo(endpoint: Endpoint): object {
  if (endpoint.kind === "stdio") {
    return { transport: "stdio", command: endpoint.command, args: [...endpoint.args], stderr: "ignore" };
  }
  return { transport: endpoint.kind, url: endpoint.url };
}
