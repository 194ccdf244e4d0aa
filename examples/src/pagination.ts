/** Pagination: long lists come in pages. Walk them all, or fetch them one by one. */
import { Client, ProtocolError, SdkError } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";

const server = new McpServer({ name: "library", version: "1.0.0", pageSize: 2 });
for (const title of ["dune", "emma", "ida", "momo", "ulysses"]) {
  server.resource(`library://${title}`, { name: title }, () => `The text of ${title}`);
}

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  const options = { name: "example", version: "1.0.0", revisions: [revision] };
  await using client = await Client.connect(server, options);

  const names: string[] = [];
  for await (const { name } of client.resources()) names.push(name);
  console.log("all:", names.join(", "));

  // Leaving the loop early fetches no further page.
  for await (const { name } of client.resources()) {
    console.log("the first:", name);
    break;
  }

  let cursor: string | undefined;
  do {
    const page = await client.listResources(cursor === undefined ? {} : { cursor });
    console.log("page:", page.resources.map(({ name }) => name).join(", "));
    cursor = page.nextCursor;
  } while (cursor !== undefined);

  // A place in a list outlives changes to it: what is added in between is neither missed nor seen twice.
  const { nextCursor = "" } = await client.listResources();
  const added = server.resource("library://zorba", { name: "zorba" }, () => "The text of zorba");
  const second = await client.listResources({ cursor: nextCursor });
  console.log("goes on with:", second.resources.map(({ name }) => name).join(", "));
  added.remove();

  try {
    await client.listResources({ cursor: "page-2" });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    console.log("rejected:", error.code, error.message);
  }

  await using hasty = await Client.connect(server, { ...options, maxPages: 2 });
  try {
    for await (const { name } of hasty.resources()) console.log("hasty:", name);
  } catch (error) {
    if (!(error instanceof SdkError)) throw error;
    console.log("given up:", error.code);
  }
}
