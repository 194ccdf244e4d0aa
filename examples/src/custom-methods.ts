/** Methods of your own beside the specification's: requests, notifications, and what may go from server to client. */
import { Client, ProtocolError } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { z } from "zod";

const server = new McpServer({ name: "warehouse", version: "1.0.0" });

// With a schema, params are checked and typed; what does not fit is -32602.
server.handle(
  "warehouse/restock",
  { params: z.object({ item: z.string(), count: z.number().int() }) },
  ({ item, count }) => ({
    item,
    shelf: `${item[0]}-${count}`,
  }),
);

const scanned: unknown[] = [];
server.onNotification("warehouse/scanned", ({ item }) => {
  scanned.push(item);
});

// While a request is served, notifications go back in both eras, requests in the legacy one alone.
server.handle("warehouse/report", async (_params, context) => {
  for (const item of scanned.splice(0)) await context.notify("warehouse/line", { item });
  if (context.era === "modern") return { signedBy: "nobody" };
  const { name } = await context.request("warehouse/who");
  return { signedBy: name };
});

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  await using client = await Client.connect(server, { name: "example", version: "1.0.0", revisions: [revision] });
  client.onNotification("warehouse/line", ({ item }) => console.log("line:", item));
  client.handle("warehouse/who", () => ({ name: "Ada" }));

  const { item, shelf } = await client.request("warehouse/restock", { item: "tea", count: 3 });
  console.log(`restocked: ${item} on shelf ${shelf}`);

  await client.notify("warehouse/scanned", { item: "tea" });
  await client.notify("warehouse/scanned", { item: "rice" });
  const { signedBy } = await client.request("warehouse/report");
  console.log("report signed by", signedBy);

  for (const [method, params] of [
    ["warehouse/restock", { item: "tea", count: "three" }],
    ["warehouse/burn", {}],
  ] as const) {
    try {
      await client.request(method, params);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      console.log("rejected:", error.code, error.message);
    }
  }
}
