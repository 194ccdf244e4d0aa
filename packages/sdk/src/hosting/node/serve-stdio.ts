/** Serves an MCP server to the one client that started this process, over stdin and stdout. */
import type { McpServer } from "../../server/mcp-server.js";
import { type ServeStdioOptions, type StdioServerHandle, serveProcess } from "./stdio-process.js";

/**
 * Serves both eras over the process's standard streams, from now on until the client closes stdin or goes away. While
 * it serves, what other code prints goes to stderr.
 * @throws {SdkError} `invalid-argument` for a limit that is none, and when this process serves over its streams already.
 *
 * @example
 * await serveStdio(server);
 */
export function serveStdio(server: McpServer, options: ServeStdioOptions = {}): Promise<StdioServerHandle> {
  return serveProcess(process, server, options);
}
