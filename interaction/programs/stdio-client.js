/** A client that starts the program in its arguments and calls one tool of it. Runs on the built package. */
import { Client } from "parley-mcp/client";

const [command = "", ...args] = process.argv.slice(2);
const client = await Client.connect({ command, args }, { name: "stdio-client", version: "1.0.0" });
await client.callTool("print");
await client.close();
