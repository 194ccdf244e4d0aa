/** Logging and progress: what a handler says while it works. Progress is the same in both eras, logging is not. */
import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";

const server = new McpServer({ name: "importer", version: "1.0.0", capabilities: { logging: {} } });

server.tool("import", { description: "Imports all files" }, async (_args, context) => {
  const files = ["a.csv", "b.csv", "c.csv"];
  for (const [index, file] of files.entries()) {
    context.log.debug({ file }, "reader");
    if (file === "b.csv") context.log.warning({ file, skipped: 2 }, "reader");
    await context.progress(index + 1, files.length, `Imported ${file}`);
  }
  return "Imported everything";
});

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  await using client = await Client.connect(server, { name: "example", version: "1.0.0", revisions: [revision] });
  client.onNotification("notifications/message", ({ level, logger, data }) =>
    console.log(`  ${level} from ${logger}: ${JSON.stringify(data)}`),
  );

  console.log("with progress:");
  await client.callTool(
    "import",
    {},
    { onProgress: ({ progress, total, message }) => console.log(`  ${progress}/${total} ${message}`) },
  );

  console.log("from debug on:");
  if (client.era === "legacy") {
    // For the connection, from here on.
    await client.setLogLevel("debug");
    await client.callTool("import");
  } else {
    // For this one request.
    await client.callTool("import", {}, { logLevel: "debug" });
  }
}
