import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect, test } from "vitest";
import { rateLimit, TOO_MANY_REQUESTS } from "./rate-limit.js";

test.each(["2025-11-25", "2026-07-28"] as const)(
  "at %s a flood is refused until the bucket has filled up",
  async (revision) => {
    let nowMs = 0;
    const server = new McpServer({ name: "limited", version: "1.0.0" });
    server.use(
      rateLimit({
        burst: 3,
        perSecond: 2,
        maxClients: 2,
        whose: ({ clientInfo }) => `${clientInfo?.name}`,
        now: () => nowMs,
      }),
    );
    server.tool("work", {}, () => "done");
    const connect = (name: string) => Client.connect(server, { name, version: "1.0.0", revisions: [revision] });
    const refused = (retryAfterMs: number) => ({ code: TOO_MANY_REQUESTS, data: { retryAfterMs } });
    // Connecting takes a request as well.
    await using ada = await connect("ada");
    await ada.callTool("work");
    await ada.callTool("work");
    await expect(ada.callTool("work")).rejects.toMatchObject(refused(500));
    await expect(ada.callTool("work")).rejects.toThrow("try again in 500 ms");
    await ada.notify("acme/note");

    await using bob = await connect("bob");
    await bob.callTool("work");
    nowMs += 250;
    await expect(ada.callTool("work")).rejects.toMatchObject(refused(250));
    nowMs += 250;
    await ada.callTool("work");
    await expect(ada.callTool("work")).rejects.toMatchObject(refused(500));

    nowMs += 3_600_000;
    for (let call = 0; call < 3; call += 1) await ada.callTool("work");
    await expect(ada.callTool("work")).rejects.toMatchObject(refused(500));

    // Two more clients push the oldest out of memory, and it starts anew.
    await using _cleo = await connect("cleo");
    await using _dora = await connect("dora");
    await ada.callTool("work");
  },
);

test("without authentication everybody shares one bucket", async () => {
  const server = new McpServer({ name: "limited", version: "1.0.0" });
  server.use(rateLimit({ burst: 2, perSecond: 1, now: () => 0 }));
  await using client = await Client.connect(server, { name: "ada", version: "1.0.0" });
  await using _other = await Client.connect(server, { name: "bob", version: "1.0.0" });
  await expect(client.request("acme/any")).rejects.toMatchObject({ code: TOO_MANY_REQUESTS });
});
