/** Tools that a client may not use: absent from its list, and unknown to its calls. */
import { ProtocolError, type ServerContext } from "parley-mcp/server";
import { ErrorCode, type Middleware, type Tool } from "parley-mcp/types";

export type MayUse = (tool: string, context: ServerContext) => boolean | Promise<boolean>;

export function toolAuthorization(mayUse: MayUse): Middleware<ServerContext> {
  return async ({ context, method, params }, next) => {
    if (context && method === "tools/call" && !(await mayUse(String(params.name), context))) {
      // The very answer to a tool that does not exist, so that nobody learns which tools there are.
      throw new ProtocolError(ErrorCode.invalidParams, `Unknown tool: ${params.name}`);
    }
    const result = await next();
    if (!context || method !== "tools/list") return result;
    // The server made it, so it is a page of tools.
    const page = result as { tools: readonly Tool[] };
    const allowed = await Promise.all(page.tools.map(({ name }) => mayUse(name, context)));
    const tools = page.tools.filter((_tool, index) => allowed[index]);
    // What one client sees must not be kept for others. Legacy results have no such hint.
    return context.era === "modern" ? { ...page, tools, cacheScope: "private" } : { ...page, tools };
  };
}
