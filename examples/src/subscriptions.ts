/** Subscriptions: a client hears that lists and resources changed, and fetches what it holds again. */
import { Client } from "parley-mcp/client";
import { type ItemRegistration, McpServer } from "parley-mcp/server";
import { z } from "zod";

function createShop(): McpServer {
  const stock = new Map([["tea", 3]]);
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  server.resource("shop://stock/tea", { name: "tea" }, () => `${stock.get("tea")} left`);
  server.tool("sell", { input: z.object({ item: z.string() }) }, ({ item }) => {
    stock.set(item, (stock.get(item) ?? 0) - 1);
    server.announce.resourceUpdated(`shop://stock/${item}`); // contents are the author's to announce
    return "Sold";
  });
  return server;
}

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  const server = createShop();
  await using client = await Client.connect(server, { name: "example", version: "1.0.0", revisions: [revision] });

  const changes = await client.listen({ tools: true, prompts: true, resource: ["shop://stock/tea"] });
  console.log("the server will tell of:", JSON.stringify(changes.honored));

  let refund: ItemRegistration | undefined;
  const events = [
    () => client.callTool("sell", { item: "tea" }),
    // Lists announce themselves.
    () => (refund = server.tool("refund", () => "Refunded")),
    () => refund?.remove(),
    // Two updates of one resource that nobody has read yet are one.
    () => Promise.all([client.callTool("sell", { item: "tea" }), client.callTool("sell", { item: "tea" })]),
  ];

  await events.shift()?.();
  for await (const change of changes) {
    if (change.kind === "resource") {
      const { contents } = await client.readResource(change.uri);
      console.log("changed:", JSON.stringify(contents));
    } else {
      const { tools } = await client.listTools();
      console.log(`changed: ${change.kind}, now ${tools.map(({ name }) => name).join(", ")}`);
    }
    const next = events.shift();
    if (!next) break; // leaving the loop ends the subscription
    await next();
  }
}
