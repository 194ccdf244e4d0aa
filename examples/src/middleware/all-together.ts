/** Three middlewares around one server with a rate limit: audit log, crash references, and tools for some clients only. */
import { Client } from "parley-mcp/client";
import { McpServer, type ServerContext } from "parley-mcp/server";
import type { Revision } from "parley-mcp/types";
import { z } from "zod";
import { auditLog } from "./audit-log.js";
import { errorReporting } from "./error-reporting.js";
import { toolAuthorization } from "./tool-authorization.js";

// In process there is nobody to authenticate. Over HTTP the identity is `context.caller?.principal`.
const whose = (context: ServerContext): string => context.clientInfo?.name ?? "anonymous";

for (const revision of ["2025-11-25", "2026-07-28"] as const) await talk(revision);

function createServer(): McpServer {
  const rateLimits = { "tools/call": { perSecond: 0.001, burst: 3 } };
  const server = new McpServer({ name: "vault", version: "1.0.0", rateLimits });
  let crashes = 0;

  // The first is outermost: the log has the outcome that the client sees.
  server.use(
    auditLog({
      whose,
      shown: ["account"],
      write: ({ who, method, target = "", outcome, ...entry }) =>
        console.log(`  audit: ${who} ${method} ${target} ${JSON.stringify(entry.arguments ?? {})}: ${outcome}`),
    }),
  );
  server.use(
    errorReporting({
      report: ({ reference, error }) => console.log(`  report: ${reference}, ${error}`),
      newReference: () => `crash-${++crashes}`,
    }),
  );
  server.use(toolAuthorization((tool, context) => tool !== "withdraw" || whose(context) === "owner"));

  const input = z.object({ account: z.string(), pin: z.string() });
  server.tool("balance", { input }, ({ account }) => {
    if (account === "7") throw new Error("ledger page 7 is torn");
    return `${account} holds 100`;
  });
  server.tool("withdraw", { input }, ({ account }) => `100 taken from ${account}`);
  return server;
}

async function talk(revision: Revision): Promise<void> {
  console.log(`\n${revision}`);
  const server = createServer();
  for (const name of ["guest", "owner"]) {
    await using client = await Client.connect(server, { name, version: "1.0.0", revisions: [revision] });
    const { tools } = await client.listTools();
    console.log(`${name} sees ${tools.map((tool) => tool.name).join(", ")}`);
    for (const [tool, account] of [
      ["withdraw", "1"],
      ["balance", "7"],
      ["balance", "1"],
      ["balance", "1"],
    ] as const) {
      const answer = await client.callTool(tool, { account, pin: "1234" }).then(
        ({ content: [block] }) => (block?.type === "text" ? block.text : "nothing"),
        (error: Error) => error.message,
      );
      console.log(`${name} hears: ${answer}`);
    }
  }
}
