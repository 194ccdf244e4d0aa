import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { connectInProcess, type WireEntry } from "parley-mcp/testing";
import { expect, test } from "vitest";
import { toolAuthorization } from "./tool-authorization.js";

test.each(["2025-11-25", "2026-07-28"] as const)("at %s a hidden tool looks like none", async (revision) => {
  const server = new McpServer({
    name: "guarded",
    version: "1.0.0",
    cache: { ttlMs: 60_000, cacheScope: "public" },
  });
  server.use(toolAuthorization(async (tool, { clientInfo }) => tool !== "wipe" || clientInfo?.name === "owner"));
  server.tool("read", () => "read");
  server.tool("wipe", () => "wiped");
  const crossed: WireEntry[] = [];
  const record = (entry: WireEntry) => void crossed.push(entry);
  const options = { version: "1.0.0", revisions: [revision] };
  await using guest = await connectInProcess(server, { ...options, name: "guest", record });
  await using owner = await Client.connect(server, { ...options, name: "owner" });

  const listed = await guest.listTools();
  expect(listed.tools.map(({ name }) => name)).toEqual(["read"]);
  const hint = revision === "2026-07-28" ? { ttlMs: 60_000, cacheScope: "private" } : {};
  expect(listed).toMatchObject(hint);
  expect("cacheScope" in listed).toBe(revision === "2026-07-28");

  const errors = await Promise.all(
    ["wipe", "nope"].map((name) => guest.callTool(name).catch((error: unknown) => error)),
  );
  expect(errors).toMatchObject([
    { code: -32602, message: "Unknown tool: wipe", data: undefined },
    { code: -32602, message: "Unknown tool: nope", data: undefined },
  ]);
  expect(JSON.stringify(crossed)).not.toContain("wiped");
  expect(await guest.callTool("read")).toMatchObject({ content: [{ text: "read" }] });

  expect((await owner.listTools()).tools.map(({ name }) => name)).toEqual(["read", "wipe"]);
  expect(await owner.callTool("wipe")).toMatchObject({ content: [{ text: "wiped" }] });
});
