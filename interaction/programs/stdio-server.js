/** A server on stdio as an author would write it, and with what may go wrong in one. Runs on the built package. */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { serveStdio } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";

const server = new McpServer({ name: "stdio-server", version: "1.0.0" });

server.tool("greet", {}, () => "hello\nworld");
server.tool("print", {}, () => {
  process.stdout.write("written to stdout\n");
  console.log("printed with console.log");
  return "printed";
});
server.tool("die", {}, () => {
  console.error("out of memory");
  writeSync(1, '{"jsonrpc":"2.0","id":');
  process.exit(3);
});
server.tool("hang", {}, (_input, context) => {
  void context.progress(1);
  return new Promise(() => undefined);
});
server.tool("until-the-end", {}, async (_input, context) => {
  await context.progress(1);
  await Promise.race([once(process.stdin, "end"), once(process, "SIGTERM")]);
  return "done";
});
server.tool("change", {}, () => {
  server.tool("another", {}, () => "one");
  return "changed";
});

// Something of the application's own that never ends.
setInterval(() => server.announce.toolsChanged(), 60_000);

await serveStdio(server);
