/** A service that acts for itself: it shows a secret where a user would log in, and nobody has to be there. */
import { Client } from "parley-mcp/client";
import { clientCredentials } from "parley-mcp/oauth";

const [url = "http://127.0.0.1:3000/mcp"] = process.argv.slice(2);
const { ISSUER = "http://127.0.0.1:4000", SERVICE_SECRET } = process.env;
if (SERVICE_SECRET === undefined) {
  console.error("Set SERVICE_SECRET to the secret that the authorization server knows the service by");
  process.exit(2);
}

const authorization = clientCredentials({
  // The secret is shown to this issuer alone, whatever the MCP server says.
  client: { clientId: "inventory-service", clientSecret: SERVICE_SECRET, issuer: ISSUER },
  // With a key instead of a secret: privateKey: { key: pem, algorithm: "ES256" }
});

try {
  await using client = await Client.connect({ url, authorization }, { name: "inventory", version: "1.0.0" });
  await show(client, "whoami", {});
  await show(client, "search", { text: "m" });
  // Nobody can grant a service more than its operator did.
  await show(client, "borrow", { book: "dune" }).catch((error: Error) =>
    console.log(`borrow: refused, ${error.message}`),
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function show(client: Client, tool: string, args: Record<string, string>): Promise<void> {
  const { content } = await client.callTool(tool, args);
  for (const block of content) if (block.type === "text") console.log(`${tool}: ${block.text}`);
}
