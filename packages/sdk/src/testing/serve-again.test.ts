/** A server that closes and is served again on its port, and a client of the same process with pooled connections. */
import { expect, it } from "vitest";
import { Client } from "../client/index.js";
import { serveHttp } from "../node/index.js";
import { McpServer } from "../server/mcp-server.js";

const IDENTITY = { name: "peer", version: "1.0.0" };

function serve(port: number) {
  const server = new McpServer(IDENTITY);
  server.tool("greet", {}, () => "hello");
  return serveHttp(server, { port });
}

it.each(["2026-07-28", "2025-11-25"] as const)(
  "connects to every server on one port, revision %s",
  async (revision) => {
    const errors: Error[] = [];
    let port = 0;
    for (let round = 0; round < 20; round += 1) {
      const host = await serve(port);
      port = host.port;
      const client = await Client.connect(host.url, {
        ...IDENTITY,
        revisions: [revision],
        onError: (error) => errors.push(error),
      });
      await Promise.all([client.callTool("greet"), client.callTool("greet"), client.callTool("greet")]);
      await client.close();
      await host.close();
    }
    expect(errors).toEqual([]);
  },
);

it.each(["2026-07-28", "2025-11-25"] as const)("goes on with an open client, revision %s", async (revision) => {
  let host = await serve(0);
  const client = await Client.connect(host.url, {
    ...IDENTITY,
    revisions: [revision],
    reconnect: { initialDelayMs: 1, maxDelayMs: 5 },
    onError: () => undefined,
  });
  const results: unknown[] = [];
  for (let round = 0; round < 10; round += 1) {
    await Promise.all([client.callTool("greet"), client.callTool("greet"), client.callTool("greet")]);
    await host.close();
    host = await serve(host.port);
    results.push(await client.callTool("greet").catch((error) => error));
  }
  await client.close();
  await host.close();
  expect(results.filter((result) => result instanceof Error)).toEqual([]);
});
