/** One replica: a server whose state is in Redis. Any replica serves any request of any client. */
import { redisBackend } from "@parley-mcp/redis";
import { serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { z } from "zod";

const { REDIS_URL = "redis://127.0.0.1:6379", REPLICA = "a", PORT = "0" } = process.env;

const shared = await redisBackend(REDIS_URL, {
  onError: (error) => console.error(`replica ${REPLICA}:`, error.message),
});
const server = new McpServer({ name: "replicas", version: "1.0.0", ...shared.server, onClose: () => shared.close() });

server.tool("who", { description: "Which replica answers" }, () => REPLICA);

server.tool("count", { description: "Counts to five, and reports each step" }, async (_args, context) => {
  for (let step = 1; step <= 5; step += 1) {
    await context.progress(step, 5, `step ${step} at ${REPLICA}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return REPLICA;
});

server.tool("ask", { description: "Asks for a name, and greets" }, async (_args, context) => {
  // The answer may arrive at another replica than the question came from.
  const { content } = await context.elicit({ message: "Your name?", schema: z.object({ name: z.string() }) });
  return `Hello ${content?.name ?? "stranger"}, from replica ${REPLICA}`;
});

const http = await serveHttp(server, {
  port: Number(PORT),
  ...shared.http,
  fallback: (request, response) => {
    if (request.url === "/health") response.end(`${REPLICA} is well\n`);
    else response.writeHead(404).end();
  },
});

/** The channel to the parent would keep the process alive. */
async function stop(): Promise<void> {
  await http.close();
  if (process.connected) process.disconnect();
}

process.once("SIGTERM", () => void stop());
process.once("disconnect", () => void stop());
process.send?.("ready");
