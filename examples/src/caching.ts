/** Caching: a server says how long its lists and resources hold, a client keeps them that long. The modern era alone has this. */
import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  const server = new McpServer({ name: "weather", version: "1.0.0", cache: { ttlMs: 60_000, cacheScope: "public" } });
  let measured = 0;
  server.resource("weather://bath", { name: "bath" }, () => {
    measured += 1;
    return `measurement ${measured}`;
  });
  server.resource("weather://now", { name: "now", cache: { ttlMs: 0 } }, () => "never kept");

  let time = 0;
  await using client = await Client.connect(server, {
    name: "example",
    version: "1.0.0",
    revisions: [revision],
    cache: { now: () => time }, // your program says `cache: true` and lets time pass by itself
  });
  const read = async (label: string, options = {}) => {
    const { contents } = await client.readResource("weather://bath", options);
    console.log(`${label}:`, contents.map((part) => ("text" in part ? part.text : "bytes")).join());
  };

  const { ttlMs, cacheScope } = await client.readResource("weather://now");
  console.log("hints:", ttlMs, cacheScope);

  await read("first");
  await read("again");
  await read("asked for fresh", { fresh: true });

  time += 60_001;
  await read("a minute later");

  await using changes = await client.listen({ resource: ["weather://bath"] });
  server.announce.resourceUpdated("weather://bath");
  for await (const _change of changes) break;
  await read("after a change");
}
