import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../src/verifies.js";

async function namesOf(tools: AsyncIterable<{ name: string }>): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of tools) names.push(name);
  return names;
}

verifies("pagination:exhaustion", "walking the cursors yields each tool once", async ({ connect }) => {
  const server = new McpServer({ name: "alphabet", version: "1.0.0", pageSize: 2 });
  const letters = ["a", "b", "c", "d", "e"];
  for (const letter of letters) server.tool(letter, {}, () => letter);
  const client = await connect(server);

  const first = await client.listTools();
  const second = await client.listTools({ cursor: String(first.nextCursor) });
  const third = await client.listTools({ cursor: String(second.nextCursor) });

  expect([first, second, third].map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ["a", "b"],
    ["c", "d"],
    ["e"],
  ]);
  expect(third).not.toHaveProperty("nextCursor");
});

verifies(
  "pagination:client:empty-cursor",
  "an empty cursor is sent back like any other",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer();
    const cacheHints = era === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
    const walk = namesOf(client.tools());

    const first = await peer.receive();
    await peer.respond(first, { ...cacheHints, tools: [], nextCursor: "" });
    const second = await peer.receive();
    await peer.respond(second, { ...cacheHints, tools: [{ name: "last", inputSchema: { type: "object" } }] });

    expect(first.params ?? {}).not.toHaveProperty("cursor");
    expect(second).toMatchObject({ method: "tools/list", params: { cursor: "" } });
    expect(await walk).toEqual(["last"]);
  },
);
