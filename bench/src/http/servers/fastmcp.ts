/** fastmcp, which brings its own `node:http` server. */
import { FastMCP } from "fastmcp";
import { quoteResult } from "../../workload.js";
import type { Serve } from "../http-contender.js";
import { freePort } from "./listening.js";

const nothing = () => undefined;
const logger = { debug: nothing, error: nothing, info: nothing, log: nothing, warn: nothing };

export const serve: Serve = async (mode, tools) => {
  const server = new FastMCP({ name: "bench", version: "1.0.0", logger });
  for (const { name, description, inputSchema, outputSchema } of tools) {
    server.addTool({
      name,
      description,
      parameters: inputSchema,
      outputSchema,
      execute: async (order) => quoteResult(order),
    });
  }
  const port = await freePort();
  await server.start({
    transportType: "httpStream",
    httpStream: { port, host: "127.0.0.1", enableJsonResponse: true, stateless: mode === "legacy stateless" },
  });
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => server.stop() };
};
