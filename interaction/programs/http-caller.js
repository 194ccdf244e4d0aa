/** Calls a tool of the server at a URL, prints the result and ends by itself. Runs on the built package. */
import { Client } from "parley-mcp/client";

const client = await Client.connect(process.argv[2] ?? "", { name: "c", version: "1", revision: "2026-07-28" });
console.log(JSON.stringify(await client.callTool("quick")));
await client.close();
