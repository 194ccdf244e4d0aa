/** A server to fill to its limits, and a way to tell its callers apart. */
import { HttpRefusal, type HttpRequest } from "parley-mcp/node";
import { McpServer, type McpServerOptions } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../deferred.js";

export const MALLORY = { "x-user": "mallory" };
export const POLITE = { "x-user": "polite" };

/** Names a principal by a header. */
export function authenticate(request: HttpRequest) {
  const principal = request.header("x-user");
  if (principal === undefined) throw new HttpRefusal(401);
  return { principal };
}

/** A tool that waits until it is let go, even if it is cancelled, and one that does not. */
export function waiter(limits: McpServerOptions["limits"], options: Partial<McpServerOptions> = {}) {
  const server = new McpServer({ name: "waiter", version: "1.0.0", onError: () => undefined, limits, ...options });
  const release = deferred();
  const state = { started: 0 };
  server.tool("wait", { input: z.object({ text: z.string().optional() }) }, async () => {
    state.started += 1;
    await release.promise;
    return "done";
  });
  server.tool("greet", { input: z.object({ text: z.string().optional() }) }, () => "hello");
  server.resource("a://b", { name: "b" }, () => "");
  const started = (count: number) => vi.waitFor(() => expect(state.started).toBe(count));
  return { server, release, state, started };
}
