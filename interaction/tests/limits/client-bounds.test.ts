import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const counted = { type: "object", properties: { count: { type: "number" } } };
const broken = { content: [], structuredContent: { count: "many" } };

/** A server whose tools all break their output schema, one tool per page. */
function brokenTools(names: readonly string[], outputSchema: object = counted): McpServer {
  const server = new McpServer({ name: "broken", version: "1.0.0", capabilities: { tools: { listChanged: true } } });
  server.handle("tools/list", ({ cursor = "0" }) => {
    const index = Number(cursor);
    const tools = [{ name: names[index], inputSchema: { type: "object" }, outputSchema }];
    return index + 1 < names.length ? { tools, nextCursor: `${index + 1}` } : { tools };
  });
  server.handle("tools/call", () => broken);
  return server;
}

async function listAll(client: Client): Promise<number> {
  let count = 0;
  for await (const _tool of client.tools()) count += 1;
  return count;
}

const refused = { code: "invalid-result", message: expect.stringContaining("structuredContent.count") };

verifies(
  "client:bounds:known-tools",
  "a client remembers two of three tools, by number or by bytes, and no longer checks the output of the first",
  async ({ connect }) => {
    for (const bound of [{ maxKnownTools: 2 }, { maxKnownToolBytes: 600 }]) {
      const reported: Error[] = [];
      const onError = (error: Error) => void reported.push(error);
      const client = await connect(brokenTools(["first", "second", "third"]), { ...bound, onError });

      expect(await listAll(client)).toBe(3);
      expect(await listAll(client)).toBe(3);

      expect(await client.callTool("first")).toMatchObject(broken);
      await expect(client.callTool("second")).rejects.toMatchObject(refused);
      await expect(client.callTool("third")).rejects.toMatchObject(refused);
      expect(reported).toMatchObject([{ code: "too-large", message: expect.stringContaining("maxKnownTools") }]);
    }
  },
);

verifies(
  "client:bounds:known-tools-relisted",
  "a client that checks always and remembers one tool lists a forgotten tool again, and checks each call",
  async ({ connect }) => {
    const server = brokenTools(["first", "second", "third"]);
    const client = await connect(server, { maxKnownTools: 1, outputChecks: "always", onError: () => {} });

    for (const name of ["first", "second", "third", "first"]) {
      await expect(client.callTool(name), name).rejects.toMatchObject(refused);
    }
    expect(await client.callTool("unlisted")).toMatchObject(broken);
  },
);

verifies(
  "client:bounds:large-schema",
  "a tool whose output schema alone is too large fails its check as unusable-schema, and other tools are checked",
  async ({ connect }) => {
    const large = { ...counted, description: "x".repeat(1_000) };
    const client = await connect(brokenTools(["large"], large), { maxKnownToolBytes: 1_000 });
    expect(await listAll(client)).toBe(1);

    await expect(client.callTool("large")).rejects.toMatchObject({
      code: "unusable-schema",
      message: expect.stringContaining("maxKnownToolBytes"),
    });
  },
);

verifies(
  "client:bounds:known-tools-default",
  "a schema just under 16 Mi characters is kept and one just over is not, and a list of twice that likewise",
  async () => {
    const connect = async (length: number, onError?: (error: Error) => void) => {
      const server = brokenTools(["large"], { ...counted, description: "x".repeat(length) });
      return [
        server,
        await Client.connect(server, { name: "cli", version: "1.0.0", ...(onError && { onError }) }),
      ] as const;
    };
    const half = 64 * 1_024 * 1_024 * 0.5;
    for (const [length, complaint] of [
      [half / 2 - 1_000, "structuredContent.count"],
      [half / 2 + 1_000, "maxKnownToolBytes"],
    ] as const) {
      const [, client] = await connect(length);
      await listAll(client);
      await expect(client.callTool("large")).rejects.toThrow(complaint);
      await client.close();
    }

    for (const [length, isCalled] of [
      [half - 1_000, true],
      [half + 1_000, false],
    ] as const) {
      const outcome = deferred<boolean>();
      const [server, client] = await connect(length, ({ cause }) => {
        if (`${cause}`.includes("maxRefreshBytes")) outcome.resolve(false);
      });
      await client.onToolsChanged(() => outcome.resolve(true), { refresh: true });
      server.announce.toolsChanged();
      expect(await outcome.promise).toBe(isCalled);
      await client.close();
    }
  },
);

verifies(
  "client:bounds:refresh",
  "a list within the bound is handed over, and a longer one is reported",
  async ({ connect }) => {
    const names = ["first"];
    const server = brokenTools(names);
    const [refreshed, reported] = [deferred<number>(), deferred<Error>()];
    const client = await connect(server, { maxRefreshBytes: 1_500, onError: (error) => reported.resolve(error) });
    await client.onToolsChanged((tools) => refreshed.resolve(tools.length), { refresh: true });

    server.announce.toolsChanged();
    expect(await refreshed.promise).toBe(1);

    names.push("second", "third", "fourth");
    server.announce.toolsChanged();
    const { cause } = await reported.promise;
    expect(cause).toMatchObject({ code: "too-large", message: expect.stringContaining("maxRefreshBytes") });
  },
);
