/** The parts of agent frameworks that the adapters use. Their own types are not installed where the adapters are compiled. */

/** A server as `@openai/agents` sees it. */
export interface OpenAiMcpServer {
  connect(): Promise<void>;
  listTools(): Promise<readonly { readonly name: string }[]>;
  callToolResult(
    name: string,
    args: Record<string, unknown>,
    meta?: undefined,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown>;
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  listResourceTemplates(): Promise<{ readonly resourceTemplates: readonly { readonly uriTemplate: string }[] }>;
  readResource(uri: string): Promise<{ readonly contents: unknown }>;
  close(): Promise<void>;
}

/** A tool as LangChain hands it to a model. */
export interface LangChainTool {
  readonly name: string;
  invoke(call: {
    readonly type: "tool_call";
    readonly id: string;
    readonly name: string;
    readonly args: Record<string, unknown>;
  }): Promise<{ readonly content: unknown; readonly artifact?: unknown; readonly status?: string }>;
}

/** The client of `@langchain/mcp-adapters`. */
export interface LangChainClient {
  getTools(): Promise<readonly LangChainTool[]>;
  listResources(): Promise<Record<string, readonly { readonly uri: string }[]>>;
  listResourceTemplates(): Promise<Record<string, readonly { readonly uriTemplate: string }[]>>;
  readResource(server: string, uri: string): Promise<unknown>;
  close(): Promise<void>;
}

export const MCPServerStdio: new (options: {
  readonly command: string;
  readonly args: readonly string[];
}) => OpenAiMcpServer;
export const MCPServerStreamableHttp: new (options: { readonly url: string }) => OpenAiMcpServer;
export const MCPServerSSE: new (options: { readonly url: string }) => OpenAiMcpServer;
export const MultiServerMCPClient: new (config: object) => LangChainClient;
