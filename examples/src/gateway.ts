/**
 * A gateway: a client behind a server. It serves over HTTP what another server offers, be that a URL or a program:
 * tools, resources and prompts as they come and go, with progress, cancellation and questions to the user.
 */
import { Client } from "parley-mcp/client";
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { targetFrom } from "./command-line-target.js";
import { Mirror } from "./gateway/mirror.js";
import { PassingOn } from "./gateway/passing-on.js";

const target = targetFrom(process.argv.slice(2));
if (!target) {
  console.error("usage: gateway.js URL | COMMAND [ARGUMENT...]");
  process.exit(2);
}

const passing = new PassingOn();

const upstream = await Client.connect(target, {
  name: "gateway",
  version: "1.0.0",
  // By being there it tells the server upstream that users can be asked.
  elicit: (question) => passing.elicit(question),
});

const server = new McpServer({
  name: `gateway to ${upstream.serverInfo?.name ?? "a server"}`,
  version: "1.0.0",
  instructions: upstream.instructions,
  // What there will be is not known beforehand, and its names are not the gateway's to judge.
  capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
  toolNames: "any",
});

await new Mirror(upstream, server, passing).start();

const http = await serveHttp(server, { port: Number(process.env.PORT ?? 3001) });

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    await http.close();
    await upstream.close();
  });
}

console.log(`listening at ${http.url}, in front of ${upstream.serverInfo?.name} by ${upstream.revision}`);
