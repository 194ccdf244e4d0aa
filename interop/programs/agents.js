/** Clients of agent frameworks, which only the whole matrix loads. */
export { MultiServerMCPClient } from "@langchain/mcp-adapters";
export { MCPServerSSE, MCPServerStdio, MCPServerStreamableHttp } from "@openai/agents";
