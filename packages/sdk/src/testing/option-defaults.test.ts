/** Defaults of a client's and a server's options that show only when both talk. */
import { describe, expect, it } from "vitest";
import { McpServer } from "../server/mcp-server.js";
import type { McpServerOptions } from "../server/server-options.js";
import { connectInProcess } from "./connect-in-process.js";

function serverWithTools(count: number, options: Partial<McpServerOptions> = {}): McpServer {
  const server = new McpServer({ name: "server", version: "1.0.0", ...options });
  for (let index = 1; index <= count; index += 1) server.tool(`tool-${index}`, {}, () => "");
  return server;
}

describe("by default", () => {
  it("a page of a list has 1,000 items", async () => {
    await using client = await connectInProcess(serverWithTools(1_001));
    const first = await client.listTools();
    expect(first.tools).toHaveLength(1_000);
    expect((await client.listTools({ cursor: String(first.nextCursor) })).tools).toHaveLength(1);

    await using other = await connectInProcess(serverWithTools(1_000));
    expect((await other.listTools()).nextCursor).toBeUndefined();
  });

  it("a client reads 1,000 pages of a list", async () => {
    const walk = async (pages: number) => {
      await using client = await connectInProcess(serverWithTools(pages, { pageSize: 1 }));
      let read = 0;
      for await (const _tool of client.tools()) read += 1;
      return read;
    };
    expect(await walk(1_000)).toBe(1_000);
    await expect(walk(1_001)).rejects.toMatchObject({ code: "too-many-pages" });
  });

  it("a legacy connection watches 1,024 resources", async () => {
    const server = new McpServer({
      name: "server",
      version: "1.0.0",
      capabilities: { resources: { subscribe: true } },
    });
    await using client = await connectInProcess(server, { revisions: ["2025-06-18"] });
    for (let index = 1; index <= 1_024; index += 1) {
      await client.request("resources/subscribe", { uri: `note:///${index}` });
    }
    await expect(client.request("resources/subscribe", { uri: "note:///1025" })).rejects.toMatchObject({
      code: 429,
      message: expect.stringContaining("at most 1024 at a time"),
    });
  });
});
